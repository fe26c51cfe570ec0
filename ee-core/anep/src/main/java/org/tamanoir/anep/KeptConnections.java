package org.tamanoir.anep;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Which connections to one node may carry another stream: the opener's side of <i>one stream after another</i> in {@code docs/anep.md}.
 * Decides and does no I/O; one thread. {@link Turn} is one connection's state, this class holds those that wait for their next stream.
 *
 * @param <C> what a connection is
 */
public final class KeptConnections<C> {
    /** Connections that are kept at a time: as many short streams as end together find one, and an idle program holds few sockets. */
    public static final int MOST = 64;
    /** Nanoseconds that one is kept without a stream as a rule: well below the 60 s of the acceptor. */
    public static final long LONGEST = TimeUnit.SECONDS.toNanos(15);
    private final long longest;

    /** Youngest last. */
    private final ArrayDeque<Turn<C>> kept = new ArrayDeque<>();

    /** @param longest nanoseconds that a connection is kept without a stream */
    public KeptConnections(long longest) {
        this.longest = longest;
    }

    /** Keeps a connection whose stream is over; false if it is to be closed. It is taken when the acceptor has said that it is ready. */
    public boolean keep(Turn<C> turn, long now) {
        if (!turn.release() || kept.size() >= MOST) {
            return false;
        }
        turn.since = now;
        kept.addLast(turn);
        return true;
    }

    /** The connection that was used last and is ready, for a new stream; null if there is none. */
    public Turn<C> take(long now) {
        for (Iterator<Turn<C>> youngest = kept.descendingIterator(); youngest.hasNext();) {
            Turn<C> turn = youngest.next();
            if (now - turn.since >= longest) {
                return null;
            }
            if (turn.isReady()) {
                youngest.remove();
                return turn;
            }
        }
        return null;
    }

    /** Forgets a connection that is of no more use; false if it was not kept. */
    public boolean remove(Turn<C> turn) {
        return kept.remove(turn);
    }

    /** Takes all out. */
    public List<Turn<C>> clear() {
        List<Turn<C>> all = List.copyOf(kept);
        kept.clear();
        return all;
    }

    /** Takes out those whose time is over. */
    public List<Turn<C>> expired(long now) {
        List<Turn<C>> expired = new ArrayList<>();
        while (!kept.isEmpty() && now - kept.peekFirst().since >= longest) {
            expired.add(kept.pollFirst());
        }
        return expired;
    }

    /** Nanoseconds until the time of the next one is over; -1 if none is kept. */
    public long nextExpiry(long now) {
        return kept.isEmpty() ? -1 : Math.max(0, kept.peekFirst().since + longest - now);
    }

    public int size() {
        return kept.size();
    }

    /** Those that could be taken. */
    public int ready() {
        return (int) kept.stream().filter(Turn::isReady).count();
    }

    /** How far a connection is with its present stream, and whether there may be another. */
    public static final class Turn<C> {
        private final C connection;
        private final boolean byTls;
        private long since;
        private int streams;
        private boolean inUse;
        private boolean accepted;
        private boolean heard;
        private boolean outEnded;
        private boolean inEnded;
        private boolean ready;
        private boolean spent;

        /** @param byTls whether the connection is encrypted: then every direction ends by a packet */
        public Turn(C connection, boolean byTls) {
            this.connection = connection;
            this.byTls = byTls;
        }

        public C connection() {
            return connection;
        }

        /** A stream begins. */
        public void begin() {
            if (inUse || spent || streams > 0 && !ready) {
                throw new IllegalStateException("the connection is not free");
            }
            streams++;
            inUse = true;
            heard = false;
            outEnded = false;
            inEnded = false;
            ready = false;
        }

        /**
         * A packet of the stream has come.
         *
         * @throws MalformedPacketException if there is none that it could be of
         */
        public void onPacket() {
            require(inUse && !inEnded, "a packet after the end of its stream");
            heard = true;
        }

        /**
         * The acceptor says something about the connection.
         *
         * @return whether its direction of the stream ends by this
         * @throws MalformedPacketException if it cannot say so now
         */
        public boolean onControl(ConnectionUse use) {
            if (use == ConnectionUse.READY) {
                require(outEnded && inEnded && !ready, "ready before both directions have ended");
                ready = true;
                return false;
            }
            require(inUse && !inEnded && use != null && use != ConnectionUse.OFFER && (accepted || byTls || use == ConnectionUse.ACCEPT),
                    "a control packet at the wrong time: " + use);
            heard = true;
            accepted |= use == ConnectionUse.ACCEPT;
            inEnded = use == ConnectionUse.END;
            return inEnded;
        }

        /** This direction of the stream ends: by an end packet if true, else by FIN, after which the connection is not used again. */
        public boolean end() {
            outEnded = true;
            spent |= !accepted && !byTls;
            return byTls || !spent;
        }

        /** FIN, reset, error: there will be no other stream. */
        public void spoil() {
            spent = true;
        }

        /** Whether nobody can have seen the present stream, if FIN has come now. */
        public boolean isUnseen() {
            return inUse && streams > 1 && !heard;
        }

        /** Whether a stream has begun and is not over. */
        public boolean isInUse() {
            return inUse;
        }

        public boolean inEnded() {
            return inEnded;
        }

        /** The stream is over; returns whether both directions ended by packets, so that there may be another. */
        private boolean release() {
            inUse = false;
            return !spent && accepted && outEnded && inEnded;
        }

        private boolean isReady() {
            return ready && !spent;
        }

        private void require(boolean holds, String otherwise) {
            if (!holds) {
                spent = true;
                throw new MalformedPacketException(ErrorCode.BAD_OPTION_VALUE, otherwise);
            }
        }
    }
}
