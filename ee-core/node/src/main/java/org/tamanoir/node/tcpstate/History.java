package org.tamanoir.node.tcpstate;

import java.util.Arrays;

/**
 * What a stream has done since its beginning, in bounded memory: where there is no room for more, points are let go so that those that stay are the
 * further apart the older they are. Octets are counted from the beginning of the stream, so a rate between any two points is right.
 */
final class History {
    /** Points of a stream at most: of a day they are a 60th of their age apart. */
    static final int MOST = 600;
    private static final int FIRST = 30;
    private static final int LONGS = 4;
    /** Points may be this part of their age apart; and by how much more if that leaves too many. */
    private static final double LEAST_PART = 1.0 / 256;
    private static final double COARSER = 1.25;
    /** Of a point: when it was, octets from the source, the congestion window behind the node in octets, the round trip there in microseconds. */
    private static final int OCTETS = 1;
    private static final int WINDOW = 2;
    private static final int TRIP = 3;

    private final Budget budget;
    private long[] points = new long[0];
    private int count;

    History(Budget budget) {
        this.budget = budget;
    }

    void add(long nanos, long octets, long window, long tripMicros) {
        if (count * LONGS == points.length && !grow()) {
            thin(nanos);
        }
        if (points.length == 0) {
            return;
        }
        int at = LONGS * count++;
        points[at] = nanos;
        points[at + OCTETS] = octets;
        points[at + WINDOW] = window;
        points[at + TRIP] = tripMicros;
    }

    private boolean grow() {
        int now = points.length / LONGS;
        int next = now == 0 ? FIRST : Math.min(MOST, 2 * now);
        if (next == now || !budget.take((long) (next - now) * LONGS * Long.BYTES)) {
            return false;
        }
        points = Arrays.copyOf(points, next * LONGS);
        return true;
    }

    /** Lets points go that are closer together than a small part of their age, until there is room for a tenth more. */
    private void thin(long now) {
        int enough = count - 1 - count / 10;
        for (double part = LEAST_PART; count > Math.max(2, enough); part *= COARSER) {
            thin(now, part);
        }
    }

    private void thin(long now, double part) {
        int kept = Math.min(1, count);
        for (int i = 1; i < count; i++) {
            if (i == count - 1 || points[LONGS * (i + 1)] - points[LONGS * (kept - 1)] > part * (now - points[LONGS * i])) {
                System.arraycopy(points, LONGS * i, points, LONGS * kept++, LONGS);
            }
        }
        count = kept;
    }

    long octets() {
        return (long) points.length * Long.BYTES;
    }

    /** In order; the rate of each point is that since the point before. */
    Points points(long now) {
        int many = Math.max(0, count - 1);
        Points made = new Points(new double[many], new double[many], new long[many], new double[many]);
        for (int i = 0; i < many; i++) {
            int at = LONGS * (i + 1);
            double seconds = (points[at] - points[at - LONGS]) / 1e9;
            made.ago()[i] = Math.round((now - points[at]) / 1e7) / 1e2;
            made.bitsPerSecond()[i] = seconds > 0 ? Math.round((points[at + OCTETS] - points[at - LONGS + OCTETS]) * 8 / seconds) : 0;
            made.windowOctets()[i] = points[at + WINDOW];
            made.tripMillis()[i] = points[at + TRIP] / 1e3;
        }
        return made;
    }

    /**
     * Points in time, the oldest first.
     *
     * @param ago           seconds
     * @param bitsPerSecond since the point before
     * @param windowOctets  of the congestion window behind the node
     * @param tripMillis    round trip behind the node
     */
    record Points(double[] ago, double[] bitsPerSecond, long[] windowOctets, double[] tripMillis) {
    }

    /** Gives memory, or does not. */
    @FunctionalInterface
    interface Budget {
        boolean take(long octets);
    }
}
