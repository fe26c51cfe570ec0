package org.tamanoir.cluster.check;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** What is known of one back end by its checks. No I/O; times are nanoseconds of one clock that never goes back. For one thread. */
public final class Check {
    /** What checks have found. */
    public enum State {
        /** Not enough of them yet; it gets no connections. */
        UNKNOWN,
        /** It answers. */
        UP,
        /** It does not, or not with 200: its machine is gone, it is stuck, or it does not want to. */
        SILENT,
        /** Its machine says that nobody listens: the program is gone, and its connections with it. */
        REFUSED
    }

    /** How a check ended. */
    public enum Result {
        /** 200. */
        GOOD,
        /** Another answer, or the connection broke. */
        BAD,
        /** No answer in time. */
        TIMEOUT,
        /** Nobody listens. */
        REFUSED
    }

    private final CheckSettings settings;
    private final RandomGenerator random;
    private State state = State.UNKNOWN;
    private int good;
    private int bad;
    private long began;
    private long due;

    /**
     * Nothing is known; the first check is due at once.
     *
     * @param random for the moments of checks
     */
    public Check(CheckSettings settings, RandomGenerator random, long now) {
        this.settings = settings;
        this.random = random;
        this.due = now;
    }

    public State state() {
        return state;
    }

    /** When the next check is to begin; of no meaning while one is under way. */
    public long due() {
        return due;
    }

    /** A check begins. */
    public void begins(long now) {
        began = now;
    }

    /**
     * The check has ended.
     *
     * @return whether that changes the state
     */
    public boolean ended(long now, Result result) {
        good = result == Result.GOOD ? good + 1 : 0;
        bad = result == Result.GOOD ? 0 : bad + 1;
        State before = state;
        if (result == Result.REFUSED) {
            state = State.REFUSED;
        } else if (bad >= settings.fall() && state != State.REFUSED) {
            state = State.SILENT;
        } else if (good >= settings.rise()) {
            state = State.UP;
        }
        due = next(now, result);
        return state != before;
    }

    /** Soon where the next check may change what is known, and at once where this one has taken its time already. */
    private long next(long now, Result result) {
        boolean open = state == State.UNKNOWN || state == State.UP && bad > 0;
        if (open) {
            return result == Result.TIMEOUT ? now : now + settings.quick().toNanos();
        }
        long period = settings.period().toNanos();
        return Math.max(now, began + period - random.nextLong(period / 10 + 1));
    }

    /**
     * How back ends are checked.
     *
     * @param period  from one check to the next, at most; a tenth less by chance, so that checks of many do not stay together
     * @param timeout for the whole of a check
     * @param quick   to the next check where one has failed at once or the state is not known yet
     * @param fall    failures in a row until a back end is down; a refused connection is enough by itself
     * @param rise    successes in a row until it is up
     */
    public record CheckSettings(Duration period, Duration timeout, Duration quick, int fall, int rise) {
        /** Silence is noticed within 1.5 s of its beginning: half a second to the next check, and two of its time-outs. */
        public static final CheckSettings DEFAULT = new CheckSettings(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofMillis(100), 2, 2);
    }
}
