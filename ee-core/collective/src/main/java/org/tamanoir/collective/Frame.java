package org.tamanoir.collective;

/** What two neighbours of a tree say to each other; {@link FrameReader} and {@link Frames} have the octets. */
public sealed interface Frame permits Piece, Frame.Join, Frame.Ready, Frame.Gone, Frame.Refused, Frame.Failed, Frame.Leave, Frame.Ask, Frame.Saved, Frame.Safe, Frame.Who,
        Frame.Missing {
    /**
     * Up, the first frame of all: a member joins with its rank, a node with those of its members.
     *
     * @param node  whether a node speaks
     * @param epoch from 1; those of other epochs are another group
     * @param size  how many ranks the group has
     */
    record Join(boolean node, long epoch, int size, String name, Ranks ranks) implements Frame {
        /** Characters of a name, at most; no blanks. */
        public static final int LONGEST_NAME = 128;
    }

    /** Down: all are there. */
    record Ready() implements Frame {
    }

    /** Up: these members have vanished. @param code the number of an {@link org.tamanoir.anep.ErrorCode} */
    record Gone(int code, Ranks ranks, String text) implements Frame {
    }

    /** Down: these may not join. */
    record Refused(int code, Ranks ranks, String text) implements Frame {
    }

    /**
     * Down: the group is broken.
     *
     * @param safe  the operation behind which all have saved what they know; 0 for none
     * @param ranks who is missing; empty if that is not known, or if it is not for want of somebody
     */
    record Failed(int code, long safe, Ranks ranks, String text) implements Frame {
    }

    /** Up: this member, or all members behind this node, have done what they wanted. */
    record Leave() implements Frame {
    }

    /** Up: a cut is wanted. */
    record Ask() implements Frame {
    }

    /** Up: everything up to this operation is saved here. */
    record Saved(long number) implements Frame {
    }

    /** Down: everything up to this operation is saved everywhere. */
    record Safe(long number) implements Frame {
    }

    /** Down, to nodes: who has not brought what this operation needs? @param millis the answer is of use so long */
    record Who(long number, int millis) implements Frame {
    }

    /** Up: the answer. */
    record Missing(Ranks ranks) implements Frame {
    }
}
