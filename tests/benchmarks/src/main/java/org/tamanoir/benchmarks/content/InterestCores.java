package org.tamanoir.benchmarks.content;

import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.tamanoir.anep.AnepException;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.FilterText;
import org.tamanoir.services.interest.filter.Region;
import org.tamanoir.services.interest.filter.TopicPattern;
import org.tamanoir.services.interest.tree.Limits;
import org.tamanoir.services.interest.tree.Neighbour;
import org.tamanoir.services.interest.tree.Neighbour.Kind;
import org.tamanoir.services.interest.tree.SpaceCore;
import org.tamanoir.services.interest.tree.Sink;

/** The core of {@code interest} as it is, without nodes: how many events it matches a second, and what a tree of them puts on its links beside what an oracle would. */
final class InterestCores {
    private static final double SIDE = 1000;
    private static final Limits LIMITS = new Limits(1000, 100_000, 100, 1000, 100, 64 << 20);
    private static final int KNOWN = 4096;

    private InterestCores() {
    }

    private static SpaceCore core(boolean root) {
        return new SpaceCore(LIMITS, root, predicate -> null, System::nanoTime, System::nanoTime);
    }

    private static Region box(Random random, double share) {
        double width = SIDE * Math.sqrt(share);
        double x = random.nextDouble() * (SIDE - width);
        double y = random.nextDouble() * (SIDE - width);
        return Region.box(x, y, x + width, y + width);
    }

    private static ByteBuf event(Random random, int source, int octets) {
        double[] at = {random.nextDouble() * SIDE, random.nextDouble() * SIDE};
        return EventView.frame("moving/" + source, EventView.JSON, at, " ".repeat(octets).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Events that one thread reads, matches with 1,000 regions of 100 programs, and gives to those that want them, for each second of processor time: what else the machine
     * does does not count.
     *
     * @param share of the area that a region has
     */
    static double matched(Random random, double share, double seconds) {
        SpaceCore core = core(true);
        Counter counter = new Counter();
        for (int program = 0; program < 100; program++) {
            Neighbour neighbour = core.join(Kind.PROGRAM, counter);
            for (int i = 0; i < 10; i++) {
                core.subscribe(neighbour, i, new Filter(TopicPattern.of("moving/#"), null, box(random, share), 0));
            }
        }
        Neighbour publisher = core.join(Kind.PROGRAM, counter);
        core.turn();
        ByteBuf[] events = new ByteBuf[KNOWN];
        for (int i = 0; i < events.length; i++) {
            events[i] = event(random, i % 1000, 64);
        }
        EventView view = new EventView();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        long end = begin + (long) (seconds * 1e9);
        long count = 0;
        long now = begin;
        while (now < end) {
            for (ByteBuf each : events) {
                core.event(now, publisher, view.wrap(each, Frames.HEADER, each.writerIndex()));
            }
            count += events.length;
            now = threads.getCurrentThreadCpuTime();
        }
        return count / ((now - begin) / 1e9);
    }

    private static final class Counter implements Sink {
        private long octets;

        @Override
        public void subscribe(int number, Filter filter) {
            octets++;
        }

        @Override
        public void unsubscribe(int number) {
            octets++;
        }

        @Override
        public void ready(int number) {
            octets++;
        }

        @Override
        public void event(ByteBuf in, int index, int length) {
            octets += length;
        }

        @Override
        public void refuse(AnepException why) {
            throw why;
        }
    }

    /** A tree of 13 nodes: a root, three below it, three below each of those. */
    static final class Tree {
        private static final int FAN = 3;
        private final List<SpaceCore> nodes = new ArrayList<>();
        private final List<Link> links = new ArrayList<>();
        private final List<Region> wanted = new ArrayList<>();
        private final List<Integer> wantedAt = new ArrayList<>();
        private final List<Neighbour> publishers = new ArrayList<>();
        private final List<Integer> publishedAt = new ArrayList<>();
        private final Deque<Runnable> underWay = new ArrayDeque<>();
        private long heard;
        private long missed;

        /** One direction of a link. */
        private final class Link implements Sink {
            private final int from;
            private final int to;
            private final Kind kind;
            private Link back;
            private Neighbour neighbour;
            private long octets;
            private long least;

            private Link(int from, int to, Kind kind) {
                this.from = from;
                this.to = to;
                this.kind = kind;
            }

            private void say(int length, Runnable what) {
                octets += length;
                underWay.add(() -> {
                    what.run();
                    nodes.get(to).turn();
                });
            }

            @Override
            public void subscribe(int number, Filter filter) {
                String text = FilterText.write(filter);
                say(Frames.subscribe(number, text).readableBytes(), () -> nodes.get(to).subscribe(back.neighbour, number, FilterText.read(text)));
            }

            @Override
            public void unsubscribe(int number) {
                say(Frames.HEADER + Integer.BYTES, () -> nodes.get(to).unsubscribe(back.neighbour, number));
            }

            @Override
            public void ready(int number) {
                say(Frames.HEADER + Integer.BYTES, () -> nodes.get(to).ready(back.neighbour, number));
            }

            @Override
            public void event(ByteBuf in, int index, int length) {
                ByteBuf frame = in.copy(index, length);
                say(length, () -> nodes.get(to).event(0, back.neighbour, new EventView().wrap(frame, Frames.HEADER, frame.writerIndex())));
            }

            @Override
            public void refuse(AnepException why) {
                throw why;
            }
        }

        /** @param share of the area that each of the subscribers wants */
        Tree(Random random, int publishing, int subscribing, double share) {
            nodes.add(core(true));
            for (int i = 1; i <= FAN + FAN * FAN; i++) {
                nodes.add(core(false));
                int parent = (i - 1) / FAN;
                Link up = new Link(i, parent, Kind.ABOVE);
                Link down = new Link(parent, i, Kind.BELOW);
                up.back = down;
                down.back = up;
                down.neighbour = nodes.get(parent).join(Kind.BELOW, down);
                up.neighbour = nodes.get(i).join(up.kind, up);
                links.add(up);
                links.add(down);
            }
            for (int i = 0; i < subscribing; i++) {
                int at = random.nextInt(nodes.size());
                Region region = box(random, share);
                wanted.add(region);
                wantedAt.add(at);
                Neighbour program = nodes.get(at).join(Kind.PROGRAM, new Hearing());
                nodes.get(at).subscribe(program, 1, new Filter(TopicPattern.of("moving/#"), null, region, 0));
                nodes.get(at).turn();
            }
            for (int i = 0; i < publishing; i++) {
                int at = random.nextInt(nodes.size());
                publishers.add(nodes.get(at).join(Kind.PROGRAM, new Hearing()));
                publishedAt.add(at);
            }
            settle();
        }

        private void settle() {
            while (!underWay.isEmpty()) {
                underWay.poll().run();
            }
        }

        void publish(Random random, int each) {
            for (int i = 0; i < each; i++) {
                for (int p = 0; p < publishers.size(); p++) {
                    ByteBuf frame = event(random, p, 64);
                    EventView view = new EventView().wrap(frame, Frames.HEADER, frame.writerIndex());
                    long before = heard;
                    nodes.get(publishedAt.get(p)).event(0, publishers.get(p), view);
                    settle();
                    missed += oracle(publishedAt.get(p), view) - (heard - before);
                }
            }
        }

        /** Counts what each link has to carry. @return how many programs want the event */
        private int oracle(int at, EventView view) {
            boolean[] wants = new boolean[nodes.size()];
            int programs = 0;
            for (int i = 0; i < wanted.size(); i++) {
                if (wanted.get(i).contains(view.x(), view.y())) {
                    wants[wantedAt.get(i)] = true;
                    programs++;
                }
            }
            for (Link link : links) {
                // The nodes behind it, as seen from where the event is.
                boolean down = link.kind == Kind.BELOW;
                int child = down ? link.to : link.from;
                if (isUnder(at, child) == down) {
                    continue;
                }
                for (int node = 0; node < wants.length; node++) {
                    if (wants[node] && isUnder(node, child) == down) {
                        link.least += view.frameLength();
                        break;
                    }
                }
            }
            return programs;
        }

        private static boolean isUnder(int node, int top) {
            int at = node;
            while (at > top) {
                at = (at - 1) / FAN;
            }
            return at == top;
        }

        /** Of the links, the one with the most octets beside those that it has to carry. */
        double worst() {
            return links.stream().mapToDouble(link -> link.octets / (double) Math.max(1, link.least)).max().orElseThrow();
        }

        /** Octets of all links beside those that they have to carry. */
        double all() {
            return links.stream().mapToLong(link -> link.octets).sum() / (double) links.stream().mapToLong(link -> link.least).sum();
        }

        /** Events that a program wanted and did not get, or got and did not want. */
        long missed() {
            return missed;
        }

        private final class Hearing implements Sink {
            @Override
            public void subscribe(int number, Filter filter) {
                throw new IllegalStateException("a program is asked for nothing");
            }

            @Override
            public void unsubscribe(int number) {
                throw new IllegalStateException("a program is asked for nothing");
            }

            @Override
            public void ready(int number) {
                // It is in force when everything was delivered.
            }

            @Override
            public void event(ByteBuf in, int index, int length) {
                heard++;
            }

            @Override
            public void refuse(AnepException why) {
                throw why;
            }
        }
    }
}
