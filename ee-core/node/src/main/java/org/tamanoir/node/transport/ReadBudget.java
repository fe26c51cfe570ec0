package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Netty's hook for where to read to and when to stop: every read goes to the buffer that its owner names, and one connection reads a
 * bounded number of octets before the others of its loop have their turn.
 */
final class ReadBudget implements RecvByteBufAllocator {
    /** Reads in a turn, so that many small ones do not starve the loop either. */
    private static final int READS = 64;
    /** Octets in a turn after one that read much: what is written behind a read is still in the cache of the processor then. */
    static final int LONG = LoopMemory.BUFFER / 2;
    /** Datagrams for which the next call has places: each costs, whether or not it is filled. */
    private static final int FEWEST = 4;
    private static final int STEP = 4;

    private final IntFunction<ByteBuf> next;
    private final IntSupplier turn;
    private final boolean messages;
    private boolean untilEmpty;
    private boolean spent;
    private int places = FEWEST;

    /**
     * For octets.
     *
     * @param next a buffer with room, for so many octets if there is a choice, and a reference for the transport
     * @param turn how many octets may be read in the turn that begins
     */
    ReadBudget(IntFunction<ByteBuf> next, IntSupplier turn) {
        this(next, turn, false);
    }

    private ReadBudget(IntFunction<ByteBuf> next, IntSupplier turn, boolean messages) {
        this.next = next;
        this.turn = turn;
        this.messages = messages;
    }

    /**
     * For datagrams: the transport reports the octets that they could have had, so they are counted and not their octets.
     *
     * @param turn called when a turn begins; it ends after {@link #READS}, whatever that says
     */
    static ReadBudget ofMessages(Supplier<ByteBuf> next, IntSupplier turn) {
        return new ReadBudget(most -> next.get(), turn, true);
    }

    @Override
    @SuppressWarnings("deprecation") // the interface asks for the type that it deprecates
    public Handle newHandle() {
        return new Turn();
    }

    /**
     * Whether a turn, as long as it lasts, ends with a read that finds nothing, and not already with one that finds less than there was
     * room for. Only then has it read everything that had come when it handed out its first datagram.
     */
    void untilEmpty(boolean empty) {
        untilEmpty = empty;
    }

    /** How many datagrams the next call should be ready for: more after one that was filled, fewer after one that was not. */
    int places() {
        return places;
    }

    /** Whether the last turn ended before there was nothing left to read. */
    boolean isSpent() {
        return spent;
    }

    private final class Turn implements ExtendedHandle {
        private ChannelConfig config;
        private int most;
        private int octets;
        private int reads;
        private int last;
        private int attempted;

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            // A peer that has finished is read to its end, whatever is said below (docs/decisions/0003).
            return next.apply(Math.max(LoopTurn.LEAST, most - octets));
        }

        @Override
        public int guess() {
            return LoopMemory.BUFFER;
        }

        @Override
        public void reset(ChannelConfig config) {
            this.config = config;
            // Less than a buffer takes a view of it, which would cost short turns more than it gives.
            most = Math.min(octets < LoopMemory.LEAST_ROOM ? LoopMemory.BUFFER : LONG, turn.getAsInt());
            octets = 0;
            reads = 0;
        }

        @Override
        public void incMessagesRead(int count) {
            reads += count;
        }

        @Override
        public void lastBytesRead(int bytes) {
            last = bytes;
            if (bytes > 0) {
                octets += bytes;
                fit();
            }
        }

        private void fit() {
            if (last == attempted) {
                places = Math.min(READS, STEP * places);
            } else if (last <= attempted / (STEP * STEP)) {
                places = Math.max(FEWEST, places / STEP);
            }
        }

        @Override
        public int lastBytesRead() {
            return last;
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            attempted = bytes;
        }

        @Override
        public int attemptedBytesRead() {
            return attempted;
        }

        @Override
        public boolean continueReading() {
            return continues(messages || last == attempted);
        }

        /** Several datagrams are read at once: who got fewer than there was room for has emptied the socket. */
        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return continues(messages ? untilEmpty || last == attempted : maybeMore.get());
        }

        private boolean continues(boolean maybeMore) {
            return config.isAutoRead() && last > 0 && !isOver() && maybeMore;
        }

        /** Also where what is left of the turn is not worth another call: a packet that is not whole makes each read a little shorter than the turn. */
        private boolean isOver() {
            return reads >= READS || !messages && octets > most - LoopMemory.LEAST_ROOM;
        }

        @Override
        public void readComplete() {
            spent = isOver();
            LoopTurn.read(messages ? reads * LoopTurn.LEAST : octets);
        }
    }
}
