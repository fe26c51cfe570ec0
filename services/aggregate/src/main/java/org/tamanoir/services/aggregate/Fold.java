package org.tamanoir.services.aggregate;

/**
 * Minimum, maximum, sum and count of readings of one kind. For integers the result is exact and does not depend on the order; for doubles
 * that holds but for the last bits of the sum.
 */
final class Fold {
    private final Kind kind;
    private long count;
    private long min;
    private long max;
    private long sumFront;
    private long sumRest;
    private int flags;

    Fold(Kind kind) {
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    /** Whether one more reading fits: there may be so many values in one and no more. */
    boolean hasRoomFor(Reading reading) {
        return count + reading.count() <= Reading.MOST;
    }

    void add(Reading reading) {
        min = count == 0 || kind.compare(reading.min(), min) < 0 ? reading.min() : min;
        max = count == 0 || kind.compare(reading.max(), max) > 0 ? reading.max() : max;
        if (kind == Kind.INTEGER) {
            addInteger(reading.sumFront(), reading.sumRest());
        } else {
            addDouble(Double.longBitsToDouble(reading.sumFront()), Double.longBitsToDouble(reading.sumRest()));
        }
        count += reading.count();
        flags |= reading.flags() & (Reading.PARTIAL | Reading.OVERFLOW);
        if ((flags & Reading.OVERFLOW) != 0) {
            sumFront = Double.doubleToLongBits(Double.NaN);
            sumRest = 0;
        }
    }

    private void addInteger(long front, long rest) {
        long sum = sumRest + rest;
        sumFront += front + (Long.compareUnsigned(sum, rest) < 0 ? 1 : 0);
        sumRest = sum;
    }

    /** Knuth's two-sum (The Art of Computer Programming, 4.2.2, theorem B) on the front; what it loses goes to the rest. */
    private void addDouble(double front, double rest) {
        double a = Double.longBitsToDouble(sumFront);
        double sum = a + front;
        double b = sum - a;
        double lost = a - (sum - b) + (front - b) + Double.longBitsToDouble(sumRest) + rest;
        double total = sum + lost;
        if (Double.isFinite(total)) {
            sumFront = Double.doubleToLongBits(total);
            sumRest = Double.doubleToLongBits(lost - (total - sum));
        } else {
            flags |= Reading.OVERFLOW;
        }
    }

    /** What goes up, with more flags than the readings had. */
    Reading result(long group, long round, long source, int level, long micros, int more) {
        return new Reading(kind, flags | more, level, 0, group, round, source, micros, count, min, max, sumFront, sumRest);
    }
}
