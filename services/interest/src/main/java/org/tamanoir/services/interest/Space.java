package org.tamanoir.services.interest;

import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Timer;
import org.tamanoir.services.interest.tree.Neighbour;
import org.tamanoir.services.interest.tree.Neighbour.Kind;
import org.tamanoir.services.interest.tree.SpaceCore;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;

/**
 * One tree as this node sees it: those below, and the connection toward its root. Whoever has something to say takes a {@link #turn}, one at a time; what is to be said
 * leaves at its end.
 */
final class Space {
    private static final long PING = Duration.ofSeconds(5).toNanos();
    private static final long SILENT = 4 * PING;
    private static final long SHORTEST_PAUSE = Duration.ofMillis(250).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofSeconds(15).toNanos();
    /** Events of programs wait until it is known here what is wanted above, but no longer than this, and no more octets of them. */
    private static final long LONGEST_WAIT = Duration.ofSeconds(5).toNanos();
    private static final int MOST_EARLY = 4 << 20;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Interest interest;
    private final ServiceContext service;
    private final InetSocketAddress root;
    private final SpaceCore core;
    private final Set<StreamLink> below = new LinkedHashSet<>();
    private final DatagramPublishers publishers;
    /** Nodes below that have joined and were not told that they know all. */
    private final List<StreamLink> untold = new ArrayList<>();
    private final EventView view = new EventView();
    private List<Link> touched = new ArrayList<>();
    private UpLink above;
    /** The nodes from here to the root; null as long as it has not been reached. */
    private long[] path;
    private long again;
    private long pause = SHORTEST_PAUSE;
    private String problem;
    private Timer timer;
    private long timerAt;
    private long pingAt;
    private boolean closed;
    /** Whether it is known here what is wanted above, or cannot be known now. */
    private boolean informed;
    /** Whether the node above has said all that is wanted there. */
    private boolean told;
    private final long informedBy;
    private final Deque<Early> early = new ArrayDeque<>();
    private int earlyOctets;

    /** An event that came before. */
    private record Early(StreamLink from, Neighbour source, ByteBuf event) {
    }

    /** @param root where the root is; null if it is this node */
    Space(Interest interest, ServiceContext service, InetSocketAddress root) {
        this.interest = interest;
        this.service = service;
        this.root = root;
        this.core = new SpaceCore(interest.settings().limits(), root == null, interest.expressions()::compile, service::nanoTime, THREADS::getCurrentThreadCpuTime);
        this.path = root == null ? new long[] {interest.id()} : null;
        this.again = service.nanoTime();
        this.pingAt = again + PING;
        this.publishers = new DatagramPublishers(core.wanted(), service.rules(), interest.counters(), interest.settings().dropRules(), again);
        this.informed = root == null;
        this.informedBy = again + LONGEST_WAIT;
    }

    Settings settings() {
        return interest.settings();
    }

    Counters counters() {
        return interest.counters();
    }

    SpaceCore core() {
        return core;
    }

    long id() {
        return interest.id();
    }

    long nanoTime() {
        return service.nanoTime();
    }

    void warn(String text, Object... values) {
        service.logger().warn(text, values);
    }

    /** Does something, and has said and sent what follows from it. Any thread. */
    synchronized void turn(Runnable what) {
        try {
            what.run();
        } finally {
            // What is wanted from now on comes up before anybody hears that it does.
            publishers.turn(service.nanoTime(), !closed && knowsAll());
            core.turn();
            if (knowsAll() && !untold.isEmpty()) {
                untold.forEach(link -> link.say(Frames.told()));
                untold.clear();
            }
            List<Link> those = touched;
            touched = new ArrayList<>();
            those.forEach(Link::sendWaiting);
            schedule();
        }
    }

    // In a turn.

    void touched(Link link) {
        touched.add(link);
    }

    /** A stream has come. @throws AnepException EE-309 if there are too many */
    void came(StreamLink link) {
        checkRoom(below.size(), "programs and nodes");
        below.add(link);
        begin();
    }

    /** Somebody publishes by datagrams. @throws AnepException EE-309 if there are too many */
    void came(DatagramPublisher publisher) {
        // Apart from the others: anybody can make up senders of datagrams.
        checkRoom(publishers.size(), "programs that publish by datagrams");
        publishers.add(publisher, service.nanoTime());
        begin();
    }

    private void checkRoom(int there, String what) {
        if (there >= settings().neighbours()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "a space has at most " + settings().neighbours() + " " + what + " at one node");
        }
    }

    private void begin() {
        if (root != null && above == null && again - service.nanoTime() <= 0) {
            connect();
        }
    }

    /** All that is wanted above has been said, or nobody can say it: what has waited goes on. */
    void inform() {
        if (!informed) {
            informed = true;
            for (Early each = early.poll(); each != null; each = early.poll()) {
                try {
                    core.event(service.nanoTime(), each.source(), view.wrap(each.event(), Frames.HEADER, each.event().writerIndex()));
                } catch (AnepException e) {
                    if (each.from() != null) {
                        each.from().refuse(e);
                    }
                } finally {
                    each.event().release();
                }
            }
            below.forEach(link -> link.pause(false));
        }
    }

    /** Whether all that is wanted in the space is known here. To be {@linkplain #informed} is less: it may have been given up. */
    private boolean knowsAll() {
        return root == null || told;
    }

    /** The node above has said all that is wanted there. */
    void told() {
        told = true;
        inform();
    }

    private void early(StreamLink from, ByteBuf in, int body, int end) {
        from.pause(true);
        early.add(new Early(from, from.neighbour, in.copy(body - Frames.HEADER, end - body + Frames.HEADER)));
        earlyOctets += end - body;
        if (earlyOctets > MOST_EARLY) {
            inform();
        }
    }

    /** Who says something has joined; a stream that has not said that it is a node is a program. */
    Neighbour joined(Link link) {
        if (link.neighbour == null) {
            if (!(link instanceof StreamLink stream) || stream.isNode()) {
                throw new AnepException(ErrorCode.BAD_CONTENT, "a node that has not been told the way to the root has nothing to say");
            }
            link.neighbour = core.join(Kind.PROGRAM, link);
        }
        return link.neighbour;
    }

    /** A stream is a node. */
    void greeted(StreamLink link) {
        if (path != null) {
            link.say(Frames.path(path));
            link.neighbour = core.join(Kind.BELOW, link);
            untold.add(link);
        }
    }

    void left(StreamLink link) {
        if (below.remove(link)) {
            untold.remove(link);
            link.outbox.close();
            if (link.neighbour != null) {
                core.leave(link.neighbour);
            }
        }
    }

    void event(Link from, ByteBuf in, int body, int end) {
        Neighbour source = joined(from);
        if (source.kind() == Kind.PROGRAM) {
            checkEvent(end - body);
        }
        counters().in.increment();
        view.wrap(in, body, end);
        if (!informed && from instanceof StreamLink program) {
            early(program, in, body, end);
        } else {
            core.event(service.nanoTime(), source, view);
        }
    }

    void left(DatagramPublisher publisher) {
        publishers.remove(publisher, service.nanoTime());
    }

    /** @throws AnepException EE-309 for more octets than an event may have */
    void checkEvent(int octets) {
        if (octets > settings().eventOctets()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "an event of " + octets + " octets; " + settings().eventOctets() + " are the most");
        }
    }

    /** An event that came by a datagram. @throws AnepException EE-109 for a topic that there is not */
    void published(EventView event) {
        counters().in.increment();
        if (informed) {
            core.event(service.nanoTime(), null, event);
        } else if (earlyOctets + event.frameLength() > MOST_EARLY) {
            // Datagrams do not wait, and those who could fill this bound with them are no reason to let go what waits.
            counters().dropped.increment();
        } else {
            early.add(new Early(null, null, event.buffer().copy(event.frame(), event.frameLength())));
            earlyOctets += event.frameLength();
        }
    }

    /** A link farther away has lost events, which may have been for any program here. */
    void dropped(Link from, long events) {
        for (StreamLink link : below) {
            if (link != from && link.neighbour != null && (link.isNode() || link.neighbour.filters() > 0)) {
                link.say(Frames.dropped(true, events));
            }
        }
    }

    private void connect() {
        try {
            above = new UpLink(this, service, root);
        } catch (AnepException e) {
            if (e.code() == ErrorCode.NOT_PERMITTED) {
                // Only the operator can change that; whoever waits has to know.
                below.forEach(link -> link.refuse(e));
                publishers.refuse(e);
            }
            failed(e.getMessage());
        }
    }

    private void failed(String why) {
        if (!why.equals(problem)) {
            warn("no way to {}: {}", NetUtil.toSocketAddressString(root), why);
        }
        problem = why;
        again = service.nanoTime() + pause;
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        inform();
    }

    /** The way to the root is known. */
    void above(UpLink link, long[] nodes) {
        problem = null;
        pause = SHORTEST_PAUSE;
        path = new long[nodes.length + 1];
        path[0] = id();
        System.arraycopy(nodes, 0, path, 1, nodes.length);
        if (link.neighbour == null) {
            link.neighbour = core.join(Kind.ABOVE, link);
        }
        for (StreamLink each : below) {
            if (each.isNode()) {
                each.say(Frames.path(path));
                if (each.neighbour == null) {
                    each.neighbour = core.join(Kind.BELOW, each);
                    untold.add(each);
                }
            }
        }
    }

    void lost(UpLink link, AnepException why) {
        if (link == above) {
            above = null;
            told = false;
            link.outbox.close();
            if (link.neighbour != null) {
                core.leave(link.neighbour);
            }
            failed(why == null ? "it has ended the connection" : why.getMessage());
        }
    }

    /** What is due at this time. */
    private void due() {
        long now = service.nanoTime();
        timer = null;
        core.tick(now);
        publishers.tick(now);
        if (informedBy - now <= 0) {
            inform();
        }
        if (root != null && above == null && !closed && again - now <= 0) {
            connect();
        }
        if (pingAt - now <= 0) {
            pingAt = now + PING;
            publishers.follow(now);
            below.forEach(link -> ping(link, now, link.isNode()));
            if (above != null) {
                ping(above, now, true);
            }
        }
    }

    private static void ping(Link link, long now, boolean answers) {
        if (answers && now - link.heardAt > SILENT) {
            link.refuse(new AnepException(ErrorCode.UNREACHABLE, link.name() + " has been silent for " + Duration.ofNanos(SILENT).toSeconds() + " s"));
        } else if (now - link.saidAt >= PING - PING / 10) {
            link.say(Frames.ping());
        }
    }

    private void schedule() {
        if (closed) {
            return;
        }
        long next = pingAt;
        if (core.due() != Long.MAX_VALUE && core.due() - next < 0) {
            next = core.due();
        }
        if (root != null && above == null && again - next < 0) {
            next = again;
        }
        if (publishers.due() != Long.MAX_VALUE && publishers.due() - next < 0) {
            next = publishers.due();
        }
        if (!informed && informedBy - next < 0) {
            next = informedBy;
        }
        if (timer == null || next - timerAt < 0) {
            if (timer != null) {
                timer.cancel();
            }
            timerAt = next;
            timer = service.later(Duration.ofNanos(next - service.nanoTime()), () -> {
                turn(this::due);
                interest.tidy(this);
            });
        }
    }

    /** Nobody is there any more, or the service stops. */
    void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
        early.forEach(each -> each.event().release());
        early.clear();
        if (above != null) {
            UpLink link = above;
            above = null;
            link.outbox.close();
            link.cut(null);
        }
    }

    /** Whether nobody is below. */
    synchronized boolean isEmpty() {
        return below.isEmpty() && early.isEmpty() && publishers.isQuiet(service.nanoTime());
    }

    synchronized int filters() {
        return core.filters();
    }

    /** Datagrams that rules in force have dropped. */
    synchronized long droppedBelow() {
        return publishers.droppedNow();
    }

    synchronized int neighbours() {
        return core.neighbours();
    }

    /** For operators. */
    synchronized Map<String, Object> show() {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("root", root == null ? "this node" : NetUtil.toSocketAddressString(root));
        shown.put("state", root == null ? "root" : above != null && above.neighbour != null ? "joined" : problem == null ? "joining" : problem);
        shown.put("nodesToRoot", path == null ? 0 : path.length - 1);
        List<Map<String, Object>> links = new ArrayList<>();
        List<Link> all = new ArrayList<>(below);
        if (above != null) {
            all.add(above);
        }
        for (Link link : all) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("address", link.name());
            one.put("is", link == above ? "above" : ((StreamLink) link).isNode() ? "below" : "program");
            one.put("wants", link.neighbour == null ? 0 : link.neighbour.filters());
            one.put("told", link.neighbour == null ? 0 : link.neighbour.said());
            links.add(one);
        }
        shown.put("neighbours", links);
        publishers.show(shown);
        return shown;
    }
}
