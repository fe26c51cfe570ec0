package org.tamanoir.services.collect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.FrameReader;
import org.tamanoir.collective.Frames;
import org.tamanoir.collective.Operation;
import org.tamanoir.collective.Piece;

/** A tree of groups and members with links of random delays, which hold few frames: the same classes as in a node, and a clock that the test has. */
final class SimulatedTree {
    /** Frames in a link from which its sender is told that there is no room, and at which there is again. */
    private static final int FULL = 8;
    private static final int ROOM = 3;

    final Random random;
    final Limits limits;
    final List<Vertex> nodes = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long sequence;
    long now;
    /** What nodes have refused. */
    final List<String> errors = new ArrayList<>();

    private record Event(long time, long order, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time != other.time ? Long.compare(time, other.time) : Long.compare(order, other.order);
        }
    }

    SimulatedTree(long seed, Limits limits) {
        this.random = new Random(seed);
        this.limits = limits;
    }

    void later(long nanos, Runnable what) {
        events.add(new Event(now + nanos, sequence++, what));
    }

    /** Runs what is due until nothing is, or until a time. */
    void run(long until) {
        while (!events.isEmpty() && events.peek().time <= until) {
            Event next = events.poll();
            now = next.time;
            next.what.run();
        }
        now = Math.max(now, until);
    }

    /** Whoever takes frames. */
    interface End {
        void take(Frame frame);

        /** Nothing more comes. */
        void ended(boolean cut);

        /** The link has room, or has none. */
        default void full(boolean full) {
        }
    }

    /** One direction of a link: frames as octets, in order, in a while. */
    final class Link {
        private final End from;
        private final End to;
        private final FrameReader reader = new FrameReader();
        private final Deque<Object> waiting = new ArrayDeque<>();
        private final long mostDelay = 1 + random.nextInt(3_000_000);
        private boolean scheduled;
        private boolean paused;
        private boolean full;
        /** The end that takes it is dead, or does not take anything for another reason. */
        boolean dead;
        int pieces;
        long octets;

        Link(End from, End to) {
            this.from = from;
            this.to = to;
        }

        void send(Frame frame) {
            pieces += frame instanceof Piece ? 1 : 0;
            ByteBuf encoded = Unpooled.buffer();
            Frames.write(frame, encoded);
            octets += encoded.readableBytes();
            put(encoded);
        }

        void end(boolean cut) {
            if (cut) {
                waiting.clear();
            }
            put(cut);
        }

        void drop() {
            // What is on its way arrives.
            while (waiting.size() > 1) {
                waiting.removeLast();
            }
            full = false;
        }

        private void put(Object what) {
            waiting.add(what);
            if (!full && waiting.size() >= FULL) {
                full = true;
                from.full(true);
            }
            schedule();
        }

        void pause(boolean pauses) {
            paused = pauses;
            schedule();
        }

        private void schedule() {
            if (!scheduled && !paused && !dead && !waiting.isEmpty()) {
                scheduled = true;
                later(random.nextLong(mostDelay), this::deliver);
            }
        }

        private void deliver() {
            scheduled = false;
            if (dead || paused || waiting.isEmpty()) {
                return;
            }
            Object next = waiting.poll();
            if (next instanceof Boolean cut) {
                to.ended(cut);
            } else {
                // In any portions.
                ByteBuf octetsOf = (ByteBuf) next;
                int first = random.nextInt(octetsOf.readableBytes() + 1);
                reader.take(octetsOf.readSlice(first), to::take);
                reader.take(octetsOf, to::take);
            }
            if (full && waiting.size() <= ROOM) {
                full = false;
                from.full(false);
            }
            schedule();
        }
    }

    /** A node. */
    final class Vertex implements Neighbours {
        final Vertex parent;
        Group group;
        final Map<Integer, Link> down = new HashMap<>();
        final Map<Integer, Link> fromBelow = new HashMap<>();
        Link up;
        private Link fromUp;
        private int branches;
        int completed;
        int failures;
        private boolean dead;
        private long tickAt = Long.MAX_VALUE;

        Vertex(Vertex parent) {
            this.parent = parent;
            nodes.add(this);
        }

        /** Somebody connects from below. @return the link that he sends by */
        Link connect(End below) {
            int id = branches++;
            End here = new End() {
                private boolean joined;

                @Override
                public void take(Frame frame) {
                    event(() -> {
                        try {
                            if (group == null) {
                                group = new Group(parent == null, (Frame.Join) frame, limits, Vertex.this, now);
                            }
                            if (joined) {
                                group.receive(now, id, frame);
                            } else {
                                group.join(now, id, (Frame.Join) frame);
                                joined = true;
                            }
                        } catch (AnepException e) {
                            errors.add(e.getMessage());
                            down.get(id).end(true);
                            group.gone(now, id, e.code().number(), e.text());
                        }
                    });
                }

                @Override
                public void ended(boolean cut) {
                    event(() -> {
                        if (group != null) {
                            group.gone(now, id, ErrorCode.CONNECTION_LOST.number(), "its stream has ended");
                        }
                    });
                }

                @Override
                public void full(boolean full) {
                    event(() -> {
                        if (group != null) {
                            group.full(id, full);
                        }
                    });
                }
            };
            Link upward = new Link(below, here);
            fromBelow.put(id, upward);
            down.put(id, new Link(here, below));
            return upward;
        }

        /** The link that comes back beside one of {@link #connect}. */
        Link back(Link upward) {
            return down.get(fromBelow.entrySet().stream().filter(each -> each.getValue() == upward).findFirst().orElseThrow().getKey());
        }

        void event(Runnable what) {
            if (!dead) {
                what.run();
                if (group != null && group.isOver()) {
                    if (up != null && !group.hasLeft()) {
                        fromUp.dead = true;
                        up.end(true);
                    }
                    group = null;
                    up = null;
                }
                tick();
            }
        }

        private void tick() {
            if (group != null && !dead) {
                long next = group.tick(now);
                if (next < tickAt) {
                    tickAt = next;
                    later(Math.max(0, next - now), () -> {
                        tickAt = Long.MAX_VALUE;
                        tick();
                    });
                }
            }
        }

        /** It is gone, and with it all its connections. */
        void kill() {
            dead = true;
            fromBelow.values().forEach(link -> link.dead = true);
            down.values().forEach(link -> link.end(true));
            if (up != null) {
                fromUp.dead = true;
                up.end(true);
            }
        }

        /** It is there and does nothing. */
        void freeze() {
            dead = true;
        }

        private Link up() {
            if (up == null) {
                Group those = group;
                End here = new End() {
                    @Override
                    public void take(Frame frame) {
                        event(() -> those.receiveFromUp(now, frame));
                    }

                    @Override
                    public void ended(boolean cut) {
                        event(() -> those.upGone(new AnepException(ErrorCode.CONNECTION_LOST, "the connection has ended")));
                    }

                    @Override
                    public void full(boolean full) {
                        event(() -> those.full(UP, full));
                    }
                };
                up = parent.connect(here);
                fromUp = parent.back(up);
            }
            return up;
        }

        @Override
        public void send(int to, Frame frame) {
            (to == UP ? up() : down.get(to)).send(frame);
        }

        @Override
        public void end(int neighbour) {
            (neighbour == UP ? up() : down.get(neighbour)).end(false);
        }

        @Override
        public void drop(int branch) {
            down.get(branch).drop();
        }

        @Override
        public void completed(Operation operation) {
            completed++;
        }

        @Override
        public void broken(int code, String text) {
            failures++;
        }

        @Override
        public void pause(int neighbour, boolean paused) {
            (neighbour == UP ? fromUp : fromBelow.get(neighbour)).pause(paused);
        }
    }
}
