package org.tamanoir.services.interest.tree;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.services.interest.filter.Expressions;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.FilterText;
import org.tamanoir.services.interest.tree.Neighbour.Kind;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.interest.wire.TopicGroups;

/** A tree of nodes with programs at them. What they say to each other is under way until it is delivered, in the order in which it was said on each link, and in any order between links. */
final class TreeWorld {
    static final Expressions EXPRESSIONS = new Expressions();

    final Random random;
    final List<Site> nodes = new ArrayList<>();
    final List<Program> programs = new ArrayList<>();
    final Limits limits;
    long now = 1;
    long octetsOnLinks;
    long eventsOnLinks;

    TreeWorld(long seed, int size, Limits limits) {
        random = new Random(seed);
        this.limits = limits;
        for (int i = 0; i < size; i++) {
            nodes.add(new Site(i == 0 ? null : nodes.get(random.nextInt(i)), i));
        }
        nodes.forEach(Site::connect);
    }

    /** A node. */
    final class Site {
        final Site parent;
        final int index;
        SpaceCore core;
        /** Groups that rules drop in front of the core, and what decides of them. */
        final BitSet dropped = new BitSet();
        GroupDrops drops;
        /** Whether the node above has said all that is wanted there. */
        boolean told;
        Link up;
        final List<Link> down = new ArrayList<>();
        /** Of these, those whose other side was not told that it knows all. */
        final List<Link> untold = new ArrayList<>();

        Site(Site parent, int index) {
            this.parent = parent;
            this.index = index;
            start();
        }

        void start() {
            core = new SpaceCore(limits, parent == null, EXPRESSIONS::compile, () -> now, () -> 0);
            drops = new GroupDrops(core.wanted(), new GroupDrops.Rules() {
                @Override
                public boolean drop(int group) {
                    dropped.set(group);
                    return true;
                }

                @Override
                public void lift(int group) {
                    dropped.clear(group);
                }
            });
        }

        void turn() {
            boolean knowsAll = parent == null || told;
            drops.lift(now, knowsAll);
            core.turn();
            if (knowsAll) {
                untold.forEach(link -> link.said.add(() -> link.other.at.told = true));
                untold.clear();
            }
        }

        void connect() {
            if (parent != null && up == null) {
                Link here = new Link(this, Kind.ABOVE);
                Link there = new Link(parent, Kind.BELOW);
                here.other = there;
                there.other = here;
                up = here;
                parent.down.add(there);
                there.join();
                here.join();
                parent.untold.add(there);
                turn();
                parent.turn();
            }
        }

        void cut() {
            if (up != null) {
                Link there = up.other;
                there.close();
                up.close();
                parent.down.remove(there);
                parent.untold.remove(there);
                up = null;
                told = false;
                turn();
                parent.turn();
            }
        }
    }

    /** One side of a link: what the core of one node says to the other. */
    final class Link implements Sink {
        final Site at;
        final Kind other0;
        Link other;
        Neighbour neighbour;
        /** What this side has said and the other has not heard yet. */
        final Deque<Runnable> said = new ArrayDeque<>();
        boolean open = true;

        Link(Site at, Kind kind) {
            this.at = at;
            this.other0 = kind;
        }

        void join() {
            neighbour = at.core.join(other0, this);
        }

        void close() {
            open = false;
            said.clear();
            at.core.leave(neighbour);
        }

        private void say(int octets, Runnable what) {
            octetsOnLinks += octets;
            said.add(what);
        }

        @Override
        public void subscribe(int number, Filter filter) {
            String text = FilterText.write(filter);
            say(Frames.subscribe(number, text).readableBytes(), () -> other.at.core.subscribe(other.neighbour, number, FilterText.read(text)));
        }

        @Override
        public void unsubscribe(int number) {
            say(Frames.numbered(Frames.UNSUBSCRIBE, number).readableBytes(), () -> other.at.core.unsubscribe(other.neighbour, number));
        }

        @Override
        public void ready(int number) {
            say(Frames.numbered(Frames.READY, number).readableBytes(), () -> other.at.core.ready(other.neighbour, number));
        }

        @Override
        public void event(ByteBuf in, int index, int length) {
            eventsOnLinks++;
            ByteBuf copy = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(in, index, length));
            say(length, () -> other.at.core.event(now, other.neighbour, new EventView().wrap(copy, Frames.HEADER, copy.writerIndex())));
        }

        @Override
        public void refuse(AnepException why) {
            throw why;
        }
    }

    /** A program at a node. */
    final class Program implements Sink {
        final Site at;
        final Neighbour neighbour;
        final Map<Integer, Filter> wants = new HashMap<>();
        final Set<Integer> ready = new HashSet<>();
        final Map<Long, Integer> got = new HashMap<>();
        final List<String> texts = new ArrayList<>();
        AnepException refused;
        private int lastNumber;

        Program(Site at) {
            this.at = at;
            neighbour = at.core.join(Kind.PROGRAM, this);
        }

        int wants(Filter filter) {
            int number = ++lastNumber;
            at.core.subscribe(neighbour, number, filter);
            wants.put(number, filter);
            at.turn();
            return number;
        }

        void wantsNoMore(int number) {
            wants.remove(number);
            at.core.unsubscribe(neighbour, number);
            at.turn();
        }

        void publishes(ByteBuf frame) {
            at.core.event(now, neighbour, new EventView().wrap(frame, Frames.HEADER, frame.writerIndex()));
            at.turn();
        }

        @Override
        public void subscribe(int number, Filter filter) {
            throw new AssertionError("a program is asked for nothing");
        }

        @Override
        public void unsubscribe(int number) {
            throw new AssertionError("a program is asked for nothing");
        }

        @Override
        public void ready(int number) {
            if (!ready.add(number)) {
                throw new AssertionError("told twice that " + number + " is in force");
            }
        }

        @Override
        public void event(ByteBuf in, int index, int length) {
            EventView view = new EventView().wrap(in, index + Frames.HEADER, index + length);
            String text = new String(view.dataOctets(), java.nio.charset.StandardCharsets.UTF_8);
            texts.add(text);
            int at = text.indexOf("\"id\":");
            if (at >= 0) {
                got.merge(Long.parseLong(text.substring(at + 5, text.indexOf('}', at))), 1, Integer::sum);
            }
        }

        @Override
        public void refuse(AnepException why) {
            refused = why;
        }
    }

    /** An event comes to a node by a datagram. @return whether a rule has dropped it */
    boolean comes(Site node, String topic, ByteBuf frame) {
        if (node.dropped.get(TopicGroups.of(topic))) {
            return true;
        }
        node.core.event(now, null, new EventView().wrap(frame, Frames.HEADER, frame.writerIndex()));
        node.turn();
        return false;
    }

    Program program(int node) {
        Program program = new Program(nodes.get(node));
        programs.add(program);
        return program;
    }

    private List<Link> talking() {
        List<Link> talking = new ArrayList<>();
        for (Site node : nodes) {
            if (node.up != null) {
                if (!node.up.said.isEmpty()) {
                    talking.add(node.up);
                }
                if (!node.up.other.said.isEmpty()) {
                    talking.add(node.up.other);
                }
            }
        }
        return talking;
    }

    /** Delivers what was said first on some link. @return whether there was anything */
    boolean step() {
        List<Link> talking = talking();
        if (talking.isEmpty()) {
            return false;
        }
        Link link = talking.get(random.nextInt(talking.size()));
        for (int i = 1 + random.nextInt(4); i > 0 && !link.said.isEmpty(); i--) {
            link.said.poll().run();
        }
        link.other.at.turn();
        return true;
    }

    /** Delivers everything. */
    void settle() {
        while (step()) {
            // Until nobody says anything.
        }
    }

    /** Links that an event has to cross: those behind which somebody wants it. */
    long linksNeeded(Site from, Site before, java.util.function.Predicate<Program> wants) {
        return crossed(from, before, wants)[0];
    }

    private long[] crossed(Site at, Site before, java.util.function.Predicate<Program> wants) {
        long links = 0;
        boolean here = programs.stream().anyMatch(each -> each.at == at && wants.test(each));
        for (Site next : nodes) {
            boolean joined = next.up != null && next.parent == at || at.up != null && at.parent == next;
            if (joined && next != before) {
                long[] behind = crossed(next, at, wants);
                links += behind[0] + behind[1];
                here |= behind[1] > 0;
            }
        }
        return new long[] {links, here ? 1 : 0};
    }
}
