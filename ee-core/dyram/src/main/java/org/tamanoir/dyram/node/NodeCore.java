package org.tamanoir.dyram.node;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.dyram.address.AddressCookies;
import org.tamanoir.dyram.address.Addresses;
import org.tamanoir.dyram.address.HostTable;
import org.tamanoir.dyram.hop.HopCounters;
import org.tamanoir.dyram.wire.Core;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Close;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.HopMessage;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Message.Listen;
import org.tamanoir.dyram.wire.Message.Rejoin;
import org.tamanoir.dyram.wire.Outlet;
import org.tamanoir.dyram.wire.ServiceSet.Service;

/**
 * DyRAM at a node: takes (time, message, sender), says what to send. Single-threaded. Keeps no content and no key.
 *
 * <p>Announcements are flooded to the neighbours; the one that a session's first announcement came from is the way up. Receivers ask for
 * announcements of a group ({@link Listen}) and join by way of this node.
 */
public final class NodeCore implements Core {
    private static final int MOST_LISTENERS = 4_096;
    private static final int MOST_LISTENERS_OF_HOST = 256;
    private static final int MOST_OF_A_HOST = 64;
    private static final int MOST_ANSWERS = 4;
    private static final long LISTENING = 10_000_000_000L;
    private static final long LISTEN_PAUSE = 500_000_000;
    /** For how long a session that was closed is not opened again by what is still under way. */
    private static final long CLOSED_FOR = 30_000_000_000L;
    /** Announcements and their ends are cheap to forge: the oldest are forgotten. */
    private static final int MOST_CLOSED = 4_096;

    private record Closed(Close message, long until) {
    }

    private final NodeSettings settings;
    private final BooleanSupplier asks;
    private final Outlet outlet;
    private final RandomGenerator random;
    private final HopCounters counters = new HopCounters();
    private final Map<Long, NodeSession> sessions = new HashMap<>();
    private final Addresses addresses;
    private final JoinRoutes joins = new JoinRoutes();
    /** The group that each listens to. */
    private final HostTable<InetSocketAddress, InetSocketAddress> listeners = new HostTable<>(MOST_LISTENERS, MOST_LISTENERS_OF_HOST);
    private final Map<Long, Closed> closed = BoundedMap.byAge(MOST_CLOSED);
    private NodeSession last;
    private long nextListen;
    private boolean asked;

    /** Alone in its process. */
    public NodeCore(NodeSettings settings, Outlet outlet, RandomGenerator random) {
        this(settings, new AddressCookies(), () -> true, outlet, random);
    }

    /**
     * @param cookies that all cores of the process share
     * @param asks    whether this core is the one of its process that asks for cookies when a message without a session reaches all of them
     */
    public NodeCore(NodeSettings settings, AddressCookies cookies, BooleanSupplier asks, Outlet outlet, RandomGenerator random) {
        this.settings = settings;
        this.addresses = new Addresses(cookies);
        this.asks = asks;
        this.outlet = outlet;
        this.random = random;
    }

    @Override
    public void onMessage(long now, Message message, InetSocketAddress from) {
        if (message instanceof Announce announce) {
            announced(now, announce, from);
        } else if (message instanceof Listen listen) {
            listen(now, listen, from);
        } else if (message instanceof Challenge challenge) {
            challenged(now, challenge, from);
        } else if (message instanceof Answer answer) {
            answered(now, answer, from);
        } else {
            NodeSession session = session(message.session());
            if (session != null && message instanceof Join && !from.equals(session.parent()) && !addresses.believes(now, from, message.session())) {
                ask(now, message.session(), from);
            } else if (session != null) {
                if (session.isToAskSoon(now, from)) {
                    ask(now, message.session(), from);
                }
                session.onMessage(now, message, from);
            } else {
                unknown(now, message, from);
            }
        }
    }

    private NodeSession session(long id) {
        if (last == null || last.announce().session() != id) {
            last = sessions.get(id);
        }
        return last;
    }

    private void announced(long now, Announce announce, InetSocketAddress from) {
        NodeSession session = session(announce.session());
        if (session == null) {
            if (closed.containsKey(announce.session()) || sessions.size() >= settings.mostSessions() || hasEnough(from)) {
                counters.refused();
                return;
            }
            boolean believed = addresses.believes(now, from, announce.session());
            if (!believed) {
                ask(now, announce.session(), from);
                if (!settings.neighbours().get().contains(from)) {
                    return;
                }
            }
            session = new NodeSession(settings, announce, from, believed, joins, outlet, random, counters, now);
            sessions.put(announce.session(), session);
        } else if (!mayAnnounce(now, session, from) || !session.announced(now, announce, from, addresses.believes(now, from, announce.session()))) {
            return;
        }
        handOn(now, announce, from);
    }

    /**
     * One that would become the way up has to show first that it is there, and the one that is it, now and then. A neighbour, whom the
     * operator has named, may show it afterwards: until then it gets nothing but joins.
     */
    private boolean mayAnnounce(long now, NodeSession session, InetSocketAddress from) {
        long id = session.announce().session();
        if (from.equals(session.parent())) {
            if (session.isToAsk(now)) {
                ask(now, id, from);
            }
            return true;
        }
        if (session.isOpen(now) && !addresses.believes(now, from, id)) {
            ask(now, id, from);
            return settings.neighbours().get().contains(from);
        }
        return true;
    }

    private void handOn(long now, Announce announce, InetSocketAddress from) {
        if (announce.hops() > 0) {
            Announce further = announce.hop(announce.hops() - 1, false);
            for (InetSocketAddress neighbour : settings.neighbours().get()) {
                if (!neighbour.equals(from)) {
                    outlet.send(further, neighbour);
                }
            }
        }
        InetSocketAddress group = announce.terms().group();
        if (settings.groups() && (settings.relays() || !announce.toGroup())) {
            outlet.send(announce.hop(0, true), group);
        }
        listeners.forEach(now, (listener, wanted) -> {
            if (group.equals(wanted) && !listener.equals(from)) {
                announce(now, announce.hop(0, false), listener);
            }
        });
    }

    /** To a host that listens; it is asked for the cookie of the session at once, so that its join need not wait for that. */
    private void announce(long now, Announce announce, InetSocketAddress listener) {
        if (!addresses.mayAnswer(now, listener.getAddress())) {
            counters.unanswered();
            return;
        }
        outlet.send(announce, listener);
        if (!addresses.believes(now, listener, announce.session())) {
            ask(now, announce.session(), listener);
        }
    }

    /** Asks an address whether it is where it says. */
    private void ask(long now, long session, InetSocketAddress from) {
        counters.unanswered();
        if ((session != 0 || asks.getAsBoolean()) && addresses.mayAnswer(now, from.getAddress())) {
            outlet.send(addresses.challenge(now, from, session), from);
        }
    }

    private void answered(long now, Answer answer, InetSocketAddress from) {
        if (!addresses.answered(now, answer, from)) {
            counters.refused();
            return;
        }
        NodeSession session = session(answer.session());
        if (session != null && from.equals(session.parent())) {
            session.answered(now);
        }
    }

    /** Somebody asks whether this node is where it says: it is, to whom it has said something. What it said is said again. */
    private void challenged(long now, Challenge challenge, InetSocketAddress from) {
        NodeSession session = session(challenge.session());
        boolean neighbour = settings.neighbours().get().contains(from);
        if (session != null && from.equals(session.parent())) {
            session.challenged(now, challenge);
        } else if (session != null && neighbour && addresses.mayAnswer(now, from.getAddress())) {
            outlet.send(new Answer(challenge.session(), challenge.cookie()), from);
            Announce announce = session.announce();
            if (announce.hops() > 0) {
                outlet.send(announce.hop(announce.hops() - 1, false), from);
            }
        } else if (challenge.session() == 0 && neighbour && asked && now < nextListen && addresses.mayAnswer(now, from.getAddress())) {
            outlet.send(new Answer(0, challenge.cookie()), from);
            outlet.send(new Listen(null), from);
        } else {
            counters.refused();
        }
    }

    /** A host that announces a great many sessions leaves room for those of others; what neighbours announce comes from many hosts. */
    private boolean hasEnough(InetSocketAddress from) {
        return !settings.neighbours().get().contains(from)
                && sessions.values().stream().filter(session -> session.parent().getAddress().equals(from.getAddress())).count() >= MOST_OF_A_HOST;
    }

    /** Who listens may have made its address up: it has to answer first, gets no more than some answers, and all sessions only a neighbour. */
    private void listen(long now, Listen listen, InetSocketAddress from) {
        boolean neighbour = settings.neighbours().get().contains(from);
        if (listen.group() == null && !neighbour) {
            counters.refused();
            return;
        }
        if (!addresses.believes(now, from, 0)) {
            ask(now, 0, from);
            return;
        }
        if (listen.group() != null && !listeners.put(now, from, from.getAddress(), listen.group(), now + LISTENING)) {
            counters.refused();
            return;
        }
        int answers = 0;
        for (NodeSession session : sessions.values()) {
            Announce announce = session.announce();
            if (!neighbour && answers >= MOST_ANSWERS) {
                break;
            }
            if ((listen.group() == null || announce.terms().group().equals(listen.group())) && !from.equals(session.parent())) {
                announce(now, announce.hop(Math.max(0, announce.hops() - 1), false), from);
                answers++;
            }
        }
        if (sessions.isEmpty()) {
            askNeighbours(now, from);
        }
    }

    /** A message about a session that this node does not know: it may have been restarted. */
    private void unknown(long now, Message message, InetSocketAddress from) {
        counters.refused();
        Closed over = closed.get(message.session());
        if (over != null) {
            // No longer than what asks for it.
            if ((message instanceof HopMessage || message instanceof Join) && addresses.mayAnswer(now, from.getAddress())) {
                outlet.send(over.message(), from);
            }
            return;
        }
        if (message instanceof Join || message instanceof Data || message instanceof HopMessage) {
            askNeighbours(now, null);
        }
        if (message instanceof HopMessage && !settings.neighbours().get().contains(from) && addresses.mayAnswer(now, from.getAddress())) {
            outlet.send(new Rejoin(message.session()), from);
        }
    }

    private void askNeighbours(long now, InetSocketAddress except) {
        if (!asked || now >= nextListen) {
            asked = true;
            nextListen = now + LISTEN_PAUSE;
            for (InetSocketAddress neighbour : settings.neighbours().get()) {
                if (!neighbour.equals(except)) {
                    outlet.send(new Listen(null), neighbour);
                }
            }
        }
    }

    @Override
    public void flush(long now) {
        sessions.values().forEach(NodeSession::flush);
    }

    @Override
    public long deadline() {
        long deadline = Long.MAX_VALUE;
        for (NodeSession session : sessions.values()) {
            deadline = Math.min(deadline, session.deadline());
        }
        return deadline;
    }

    @Override
    public void onTimer(long now) {
        for (NodeSession session : List.copyOf(sessions.values())) {
            if (now >= session.deadline()) {
                session.onTimer(now);
                session.flush();
            }
            if (session.closed() != null || session.isSilent(now)) {
                forget(now, session);
            }
        }
        listeners.sweep(now);
        closed.values().removeIf(over -> over.until() <= now);
    }

    private void forget(long now, NodeSession session) {
        long id = session.announce().session();
        sessions.remove(id);
        joins.forget(id);
        last = null;
        if (session.closed() != null) {
            closed.put(id, new Closed(session.closed(), now + CLOSED_FOR));
        }
    }

    /** What was counted. */
    public HopCounters counters() {
        return counters;
    }

    /** What a person may want to see: sessions with their ways, losses and members. */
    public Map<String, Object> report() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (NodeSession session : sessions.values()) {
            Map<String, Object> one = new TreeMap<>();
            one.put("session", String.format("%016x", session.announce().session()));
            one.put("group", text(session.announce().terms().group()));
            one.put("from", text(session.parent()));
            one.put("links", session.hop().addresses().stream().map(NodeCore::text).toList());
            one.put("members", session.hop().members().all().size());
            one.put("missing", session.hop().losses());
            one.put("services", session.services().names());
            one.put("refused", session.refusedServices().names());
            all.add(one);
        }
        return Map.of("sessions", all, "counters", counters.all());
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Sessions that are known. */
    public int sessions() {
        return sessions.size();
    }

    /** Sessions for which it does a service. */
    public int sessions(Service service) {
        return (int) sessions.values().stream().filter(session -> session.services().has(service)).count();
    }

    /** What hosts have made it remember beside sessions: addresses that have answered, listeners, joins. */
    public int remembered() {
        return addresses.believed() + listeners.size() + joins.size();
    }

    /** Missing packets that are remembered, over all sessions: 0 when it is quiet. */
    public int losses() {
        return sessions.values().stream().mapToInt(session -> session.hop().losses()).sum();
    }
}
