package org.tamanoir.client.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.State;
import org.tamanoir.anep.SessionMessage.Welcome;

/** Two ends of a session, chains of nodes between them that die in several ways, an application at each end, and a clock that jumps. */
final class SessionSimulation {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1000 * MILLI;
    static final long WINDOW = 60 * SECOND;

    /** How a chain dies. */
    enum Death {
        /** Both ends are told. */
        RESET,
        /** One end is told; what is under way to the other still comes, however late. */
        HALF,
        /** Nobody is told, and nothing comes any more. */
        SILENCE,
        /** Nobody is told, and what was under way comes late: when another chain is up long since. */
        LATE,
        /** It does not die, but nothing comes for a while that may be short enough. */
        PAUSE
    }

    private record Event(long at, long order, Runnable action) {
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private long order;
    long now;
    final Random random;
    final RingBudget budget;
    final Side opener;
    Side acceptor;
    private final List<Chain> chains = new ArrayList<>();
    final long most;
    /** How long a chain takes, one way. */
    long delay;
    /** Whether an end that has begun anew takes the place of the acceptor. */
    boolean empty;
    int legs;
    /** Whether chains have a service that knows how many octets of each direction it has seen. */
    boolean knowing;
    /** That service. */
    String service = "count 1";

    SessionSimulation(long seed, long most) {
        random = new Random(seed);
        this.most = most;
        budget = new RingBudget(most * 2);
        delay = MILLI + (long) (random.nextDouble() * 40 * MILLI);
        opener = new Side(true);
        acceptor = new Side(false);
        opener.end = SessionEnd.opener(now, 7, 11, 13, most, budget, WINDOW, opener, new Random(seed + 1));
        touch(opener);
    }

    void at(long time, Runnable action) {
        events.add(new Event(Math.max(now, time), order++, action));
    }

    /** Runs until nothing happens any more, or for so long. */
    void run(long nanos) {
        long until = now + nanos;
        while (!events.isEmpty() && events.peek().at <= until) {
            Event event = events.poll();
            now = event.at;
            event.action.run();
        }
        now = Math.max(now, until);
    }

    private void touch(Side side) {
        if (side.end != null) {
            long deadline = side.end.deadline();
            if (deadline != Long.MAX_VALUE) {
                SessionEnd end = side.end;
                at(deadline, () -> {
                    if (side.end == end && end.deadline() <= now) {
                        end.onTimer(now);
                        touch(side);
                    }
                });
            }
        }
    }

    Chain chain() {
        return chains.isEmpty() ? null : chains.get(chains.size() - 1);
    }

    /** A chain of nodes: what goes in at one end comes out at the other, in order, later. */
    final class Chain {
        private final int epoch;
        private boolean dead;
        private boolean toOpener = true;
        private boolean toAcceptor = true;
        private long late;
        private final long[] lastArrival = new long[2];
        /** What is under way in each direction, in its order: TCP waits, and does not mix. */
        private final List<ArrayDeque<Runnable>> underWay = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        /** What its service knows. */
        private final long[] passed = new long[2];
        private final String counts = service;

        Chain(int epoch) {
            this.epoch = epoch;
        }

        void carry(boolean forward, Runnable arrival) {
            if (dead) {
                return;
            }
            int way = forward ? 1 : 0;
            long arrives = Math.max(lastArrival[way] + 1, now + delay + (long) (random.nextDouble() * delay / 4));
            lastArrival[way] = arrives;
            underWay.get(way).add(arrival);
            at(arrives, () -> arrive(forward));
        }

        private void arrive(boolean forward) {
            if (late > now) {
                at(late, () -> arrive(forward));
                return;
            }
            Runnable arrival = underWay.get(forward ? 1 : 0).poll();
            if (forward ? toAcceptor : toOpener) {
                arrival.run();
            }
        }

        /** What services know goes with a mark. */
        Mark counted(Mark mark, boolean forward) {
            byte[] count = ByteBuffer.allocate(8).putLong(passed[forward ? 1 : 0]).array();
            return !knowing || mark.over() != null ? mark : mark.with(List.of(new State(counts, count)));
        }

        /** The packet that begins the chain, and the answer to it: the service says that it knows something, or is given what it knew of the other way. */
        SessionMessage begun(SessionMessage said, boolean fresh, boolean forward) {
            if (!knowing) {
                return said;
            }
            if (fresh) {
                return said.with(List.of(new State(counts, new byte[0])));
            }
            State state = said.states().get(0);
            if (!state.of().equals(counts)) {
                throw new AnepException(ErrorCode.SESSION_STATE, "other services");
            }
            passed[forward ? 0 : 1] = state.octets().length == 0 ? 0 : ByteBuffer.wrap(state.octets()).getLong();
            return said.with(List.of());
        }

        /** What the service sees is what follows what it knows. */
        void seen(byte[] octets, boolean forward) {
            int way = forward ? 1 : 0;
            byte[] all = (forward ? opener : acceptor).toWrite;
            int from = (int) passed[way];
            if (knowing && !Arrays.equals(octets, 0, octets.length, all, from, from + octets.length)) {
                throw new AssertionError("after " + from + " octets the service is shown others than those that follow");
            }
            passed[way] += octets.length;
        }

        void die(Death how) {
            if (dead) {
                return;
            }
            dead = how != Death.PAUSE;
            switch (how) {
                case RESET -> {
                    toOpener = false;
                    toAcceptor = false;
                    tell(opener);
                    tell(acceptor);
                }
                case HALF -> {
                    boolean first = random.nextBoolean();
                    toOpener = first;
                    toAcceptor = !first;
                    tell(first ? acceptor : opener);
                }
                case SILENCE -> {
                    toOpener = false;
                    toAcceptor = false;
                }
                case LATE -> late = now + 6 * SECOND + (long) (random.nextDouble() * 14 * SECOND);
                case PAUSE -> late = now + (long) (random.nextDouble() * 6 * SECOND);
            }
        }

        private void tell(Side side) {
            at(now + delay, () -> {
                if (side.end != null) {
                    side.end.lost(now, epoch);
                    touch(side);
                }
            });
        }
    }

    /** One end and its application. */
    final class Side implements SessionIo {
        private final boolean isOpener;
        SessionEnd end;
        private int epoch;
        byte[] toWrite = {};
        int written;
        boolean endsAfter = true;
        boolean endWritten;
        final ByteArrayOutputStream got = new ByteArrayOutputStream();
        boolean gotEnd;
        boolean everythingKept;
        boolean done;
        boolean forgotten;
        ErrorCode failed;
        /** How late what came is kept. */
        long keepsAfter;
        boolean writing;

        Side(boolean isOpener) {
            this.isOpener = isOpener;
        }

        private Side other() {
            return isOpener ? acceptor : opener;
        }

        private Chain mine() {
            for (int i = chains.size() - 1; i >= 0; i--) {
                if (chains.get(i).epoch == epoch) {
                    return chains.get(i);
                }
            }
            return new Chain(epoch);
        }

        /** The application writes some octets every now and then. */
        void write() {
            if (end == null || end.isOver() || endWritten) {
                return;
            }
            if (written < toWrite.length) {
                int count = Math.min(toWrite.length - written, 1 + random.nextInt(40_000));
                written += end.write(now, Unpooled.wrappedBuffer(toWrite, written, count));
            } else if (endsAfter) {
                endWritten = true;
                end.end(now);
            }
            touch(this);
            at(now + (long) (random.nextDouble() * 20 * MILLI), this::write);
        }

        @Override
        public void open(int newEpoch) {
            epoch = newEpoch;
            legs++;
            Chain chain = new Chain(newEpoch);
            chains.add(chain);
            Resume first = end.opening(now);
            chain.carry(true, () -> opened(chain, first));
        }

        @Override
        public boolean send(ByteBuf octets) {
            byte[] copy = ByteBufUtil.getBytes(octets);
            octets.release();
            Chain chain = mine();
            int of = epoch;
            Side to = other();
            chain.carry(isOpener, () -> {
                chain.seen(copy, isOpener);
                if (to.end != null) {
                    to.end.octets(now, of, Unpooled.wrappedBuffer(copy));
                    touch(to);
                }
            });
            if (random.nextInt(4) == 0) {
                at(now + 5 * MILLI, () -> {
                    if (end != null) {
                        end.room(now, of);
                        touch(this);
                    }
                });
                return false;
            }
            return true;
        }

        @Override
        public void send(Mark mark) {
            int of = epoch;
            Side to = other();
            Chain chain = mine();
            chain.carry(isOpener, () -> {
                if (to.end != null) {
                    to.end.mark(now, of, chain.counted(mark, isOpener));
                    touch(to);
                }
            });
        }

        @Override
        public void close(boolean clean) {
            Chain chain = mine();
            int of = epoch;
            Side to = other();
            if (clean) {
                chain.carry(isOpener, () -> {
                    if (to.end != null) {
                        to.end.lost(now, of);
                        touch(to);
                    }
                });
            } else {
                chain.die(random.nextBoolean() ? Death.RESET : Death.LATE);
            }
        }

        @Override
        public void deliver(ByteBuf octets) {
            byte[] copy = ByteBufUtil.getBytes(octets);
            octets.release();
            got.writeBytes(copy);
            int now0 = got.size();
            if (keepsAfter == 0) {
                end.kept(now, now0);
            } else {
                SessionEnd of = end;
                at(now + keepsAfter, () -> {
                    if (end == of && !of.isOver()) {
                        of.kept(now, now0);
                        touch(this);
                    }
                });
            }
        }

        @Override
        public void deliverEnd() {
            if (gotEnd) {
                throw new AssertionError("an end twice");
            }
            gotEnd = true;
        }

        @Override
        public void everythingKept() {
            everythingKept = true;
        }

        @Override
        public void done() {
            done = true;
        }

        @Override
        public void forgotten() {
            if (isOpener || !done) {
                throw new AssertionError("forgotten before its time");
            }
            forgotten = true;
            end = null;
        }

        @Override
        public void failed(ErrorCode why) {
            failed = why;
        }
    }

    /** A leg has reached the far end. */
    private void opened(Chain chain, Resume asked) {
        Resume first = asked;
        Welcome welcome;
        try {
            first = (Resume) chain.begun(first, first.fresh(), true);
            if (acceptor.forgotten) {
                throw first.refused(ErrorCode.SESSION_UNKNOWN);
            }
            if (acceptor.end == null) {
                acceptor.end = SessionEnd.acceptor(now, first, most, budget, WINDOW, acceptor, new Random(3));
            }
            welcome = acceptor.end.resume(now, first);
        } catch (AnepException e) {
            chain.carry(false, () -> {
                if (e.code() != ErrorCode.SESSION_SUPERSEDED && e.code() != ErrorCode.SESSION_STATE) {
                    opener.end.refused(chain.epoch, e.code());
                }
                opener.end.lost(now, chain.epoch);
                touch(opener);
            });
            return;
        }
        acceptor.epoch = first.epoch();
        boolean fresh = first.fresh();
        chain.carry(false, () -> {
            opener.end.welcomed(now, chain.epoch, (Welcome) chain.begun(welcome, fresh, false));
            touch(opener);
        });
        acceptor.end.answered(now);
        if (!acceptor.writing) {
            acceptor.writing = true;
            acceptor.write();
        }
        touch(acceptor);
    }

    /** The machine of the acceptor begins anew, without what it had. */
    void forget() {
        acceptor.end = null;
    }

    /** Both directions are as they were written, as far as they have come. */
    void check() {
        prefix(opener, acceptor);
        prefix(acceptor, opener);
    }

    private static void prefix(Side from, Side to) {
        byte[] got = to.got.toByteArray();
        int wrong = got.length > from.written ? from.written : Arrays.mismatch(got, Arrays.copyOf(from.toWrite, got.length));
        if (wrong >= 0) {
            throw new AssertionError("of " + got.length + " octets that came, " + from.written + " were written, octet " + wrong + " is wrong");
        }
    }
}
