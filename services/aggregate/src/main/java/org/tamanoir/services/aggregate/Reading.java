package org.tamanoir.services.aggregate;

import io.netty.buffer.ByteBuf;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * One value of a source, or what a node has made of many: the payload of the service, 80 octets in network order. README.md has the table
 * of its fields.
 *
 * @param flags    {@link #PARTIAL}, {@link #OVERFLOW}, {@link #FINAL}
 * @param level    nodes that have combined it, one above the other: 0 from a source, at most {@link #MOST_LEVELS}
 * @param siblings how many sources of the round send to the same node, itself included; 0 if that is not known
 * @param round    unsigned
 * @param source   who sends it: a source, or the node that has combined
 * @param micros   microseconds since the first of its values came to a node, at most {@link #LONGEST}; 0 from a source
 * @param count    how many values of sources are in it, 1 to {@link #MOST}
 * @param min      the smallest of them, in the 64 bits of its kind; likewise {@code max}
 * @param sumFront an integer's upper 64 bits, or the nearest double
 * @param sumRest  an integer's lower 64 bits, or the double that the first one lacks
 */
record Reading(Kind kind, int flags, int level, long siblings, long group, long round, long source, long micros, long count, long min,
               long max, long sumFront, long sumRest) {
    static final int SIZE = 80;
    static final int VERSION = 1;
    /** A value that was expected is missing. */
    static final int PARTIAL = 1;
    /** The sum of doubles has left their range; it is not a number. Minimum, maximum and count hold. */
    static final int OVERFLOW = 2;
    /** Combined by the last node of the path: nothing more is added to this round. */
    static final int FINAL = 4;
    private static final int FLAGS = PARTIAL | OVERFLOW | FINAL;
    static final int MOST_LEVELS = 16;
    /** Values in one reading: with it the sum of integers has at most 104 bits. */
    static final long MOST = 1L << 40;
    /** Twelve days. */
    static final long LONGEST = 1L << 40;

    /** One value of a source. */
    static Reading of(Kind kind, long group, long round, long source, long value) {
        return new Reading(kind, 0, 0, 0, group, round, source, 0, 1, value, value, kind.sumFront(value), kind.sumRest(value));
    }

    Reading siblings(long number) {
        return new Reading(kind, flags, level, number, group, round, source, micros, count, min, max, sumFront, sumRest);
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /**
     * Reads one and checks everything that can be checked of it alone.
     *
     * @throws AnepException EE-108 that names the field
     */
    static Reading read(ByteBuf buffer, int at) {
        check(buffer.getByte(at) == VERSION, "version");
        Kind kind = Kind.of(buffer.getUnsignedByte(at + 1));
        check(kind != null, "kind");
        Reading reading = new Reading(kind, buffer.getUnsignedByte(at + 2), buffer.getUnsignedByte(at + 3), buffer.getUnsignedInt(at + 4),
                buffer.getLong(at + 8), buffer.getLong(at + 16), buffer.getLong(at + 24), buffer.getLong(at + 32), buffer.getLong(at + 40),
                buffer.getLong(at + 48), buffer.getLong(at + 56), buffer.getLong(at + 64), buffer.getLong(at + 72));
        check((reading.flags & ~FLAGS) == 0, "flags");
        check(reading.level <= MOST_LEVELS, "level");
        check(reading.micros >= 0 && reading.micros <= LONGEST, "time");
        check(reading.count >= 1 && reading.count <= MOST, "count");
        check(kind.isValue(reading.min) && kind.isValue(reading.max) && kind.compare(reading.min, reading.max) <= 0, "minimum or maximum");
        check(reading.sumIsPossible(), "sum");
        return reading;
    }

    private static void check(boolean good, String field) {
        if (!good) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "a reading with a bad " + field);
        }
    }

    private boolean sumIsPossible() {
        if (kind == Kind.DOUBLE) {
            return has(OVERFLOW) || kind.isValue(sumFront) && kind.isValue(sumRest);
        }
        return !has(OVERFLOW) && atMost(Math.multiplyHigh(min, count), min * count, sumFront, sumRest)
                && atMost(sumFront, sumRest, Math.multiplyHigh(max, count), max * count);
    }

    /** Compares two numbers of 128 bits. */
    private static boolean atMost(long front, long rest, long otherFront, long otherRest) {
        return front < otherFront || front == otherFront && Long.compareUnsigned(rest, otherRest) <= 0;
    }

    /** Whether it is what a source may say: one value, not combined by anybody. */
    boolean isOneValue() {
        return count == 1 && flags == 0 && level == 0 && micros == 0 && min == max && sumFront == kind.sumFront(min) && sumRest == kind.sumRest(min);
    }

    /** Appends its octets. */
    ByteBuf write(ByteBuf to) {
        return to.writeByte(VERSION).writeByte(kind.code()).writeByte(flags).writeByte(level).writeInt((int) siblings).writeLong(group)
                .writeLong(round).writeLong(source).writeLong(micros).writeLong(count).writeLong(min).writeLong(max).writeLong(sumFront).writeLong(sumRest);
    }
}
