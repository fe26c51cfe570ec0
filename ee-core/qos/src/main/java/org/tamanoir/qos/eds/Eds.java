package org.tamanoir.qos.eds;

import java.util.List;

/**
 * Decides which class sends next and which one loses a packet, and when: WTP and PLR (Dovrolis), and RED on the whole queue. The same as
 * {@code kernel-helpers/eds/eds.h}, name by name and step by step; {@code TheKernelDecidesAsTheReferenceTest} compares them. The caller has the packets.
 *
 * <p>Not for several threads at once.
 */
public final class Eds {
    /** Lost times arrived times a factor fits 62 bits. Counters of PLR without a history are halved when one gets there, which leaves their ratios. */
    private static final long MOST_COUNT = 1L << 26;
    /** 52 days in nanoseconds; times a factor it fits 62 bits. */
    private static final long LONGEST_WAIT = (1L << 52) - 1;
    private static final int LOST = 0x80;

    private final EdsParameters parameters;
    private final Red red;
    private final int depth;
    private final int[] delay;
    private final int[] loss;
    private final int[] damping;
    private final long[] arrived;
    private final long[] lost;
    private final long[] head;
    private final int[] waiting;
    private final byte[] history;
    private long octets;
    private long average;
    private long idleSince;
    private long now;
    private int packets;
    private boolean idle = true;
    private long sinceLoss;
    private long threshold;
    private int sequence;
    private int at;
    private int kept;

    public Eds(EdsParameters parameters) {
        this.parameters = parameters;
        this.red = parameters.red();
        this.depth = parameters.history();
        delay = numbers(parameters.delay());
        loss = numbers(parameters.loss());
        damping = red == null ? new int[Red.DAMPING] : numbers(red.damping());
        int classes = delay.length;
        arrived = new long[classes];
        lost = new long[classes];
        head = new long[classes];
        waiting = new int[classes];
        history = new byte[depth];
    }

    private static int[] numbers(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    public EdsParameters parameters() {
        return parameters;
    }

    /** Octets that wait. */
    public long octets() {
        return octets;
    }

    public int packets() {
        return packets;
    }

    /** RED's average of the octets that wait, times 2^Wlog; without RED, what Wlog 0 gives. */
    public long average() {
        return average;
    }

    /** The number of the next arrival. It wraps around. */
    public int sequence() {
        return sequence;
    }

    /** The average that an arrival finds. On an idle link it falls as if small queues had been seen. */
    private void age(long time) {
        int weightLog = red == null ? 0 : red.weightLog();
        int cellLog = red == null ? 0 : red.cellLog();
        if (!idle) {
            average += octets - (average >>> weightLog);
            return;
        }
        idle = false;
        long cells = time > idleSince ? (time - idleSince) >>> 10 : 0;
        if (cells >>> cellLog >= Red.DAMPING) {
            cells = (long) (Red.DAMPING - 1) << cellLog;
        }
        int shift = damping[(int) (cells >>> cellLog)];
        if (shift != 0) {
            average >>>= shift & 63;
            return;
        }
        shift = cellLog > 12 ? cellLog - 12 : 0;
        long fall = cells >>> cellLog != 0 ? average : (average * (cells >>> shift)) >>> (cellLog - shift);
        average = fall < average >>> 1 ? average - fall : average >>> 1;
    }

    private boolean isEarly(int random) {
        long mean = red == null ? 0 : average >>> red.weightLog();
        if (red == null || mean < red.min()) {
            sinceLoss = 0;
            return false;
        }
        if (mean >= red.max()) {
            sinceLoss = 0;
            return true;
        }
        if (sinceLoss == 0) {
            begin(random);
            return false;
        }
        if ((mean - red.min()) * sinceLoss < threshold) {
            sinceLoss = (sinceLoss + 1) & 0xffff_ffffL;
            return false;
        }
        begin(random);
        return true;
    }

    private void begin(int random) {
        sinceLoss = 1;
        threshold = random & ((1L << red.probabilityLog()) - 1);
    }

    private void count(int c) {
        sequence++;
        arrived[c]++;
        if (depth == 0) {
            if (arrived[c] >= MOST_COUNT) {
                for (int i = 0; i < arrived.length; i++) {
                    arrived[i] >>>= 1;
                    lost[i] >>>= 1;
                }
            }
            return;
        }
        if (kept < depth) {
            kept++;
        } else {
            int old = history[at];
            arrived[old & ~LOST & 0xff]--;
            if ((old & LOST) != 0) {
                lost[old & ~LOST & 0xff]--;
            }
        }
        history[at] = (byte) c;
        at = at + 1 < depth ? at + 1 : 0;
    }

    /**
     * A packet has come and stands at the tail of its class; its number, for {@link #loses}, is what {@link #sequence} was before.
     *
     * @param c      its class, from 0
     * @param length octets, above 0
     * @param time   nanoseconds, not negative
     * @param random 32 bits
     * @return whether one has to go
     */
    public boolean arrives(int c, int length, long time, int random) {
        now = time;
        age(time);
        boolean early = isEarly(random);
        count(c);
        if (waiting[c]++ == 0) {
            head[c] = time;
        }
        packets++;
        octets += length;
        return early || octets > parameters.limit();
    }

    /** The class that loses its last packet: of those that have one, the least lost / arrived / factor, the first of equals. -1 if all are empty. */
    public int loser() {
        int loser = -1;
        long lostOfLoser = 0;
        long arrivedOfLoser = 1;
        for (int i = 0; i < waiting.length; i++) {
            if (waiting[i] == 0) {
                continue;
            }
            long mine = Math.max(1, arrived[i]);
            if (loser < 0 || lost[i] * arrivedOfLoser * loss[loser] < lostOfLoser * mine * loss[i]) {
                loser = i;
                lostOfLoser = lost[i];
                arrivedOfLoser = mine;
            }
        }
        return loser;
    }

    /**
     * The last packet of a class is lost.
     *
     * @param number of the packet
     * @return whether another one has to go
     */
    public boolean loses(int c, int length, int number) {
        int age = sequence - 1 - number;
        if (depth == 0) {
            lost[c]++;
        } else if (Integer.compareUnsigned(age, kept) < 0) {
            int place = at + depth - 1 - age;
            history[place >= depth ? place - depth : place] |= (byte) LOST;
            lost[c]++;
        }
        leave(c, length, now);
        return octets > parameters.limit();
    }

    /** The class that sends next: the greatest wait / factor, the first of equals. -1 if all are empty. */
    public int next(long time) {
        int next = -1;
        long longest = 0;
        for (int i = 0; i < waiting.length; i++) {
            if (waiting[i] == 0) {
                continue;
            }
            long wait = Math.min(LONGEST_WAIT, Math.max(0, time - head[i]));
            if (next < 0 || wait * delay[next] > longest * delay[i]) {
                next = i;
                longest = wait;
            }
        }
        return next;
    }

    /** The oldest packet of a class has gone. @param came when the one behind it came; whatever if there is none */
    public void departs(int c, int length, long came, long time) {
        head[c] = came;
        leave(c, length, time);
    }

    private void leave(int c, int length, long time) {
        waiting[c]--;
        octets -= length;
        if (--packets == 0) {
            idle = true;
            idleSince = time;
        }
    }
}
