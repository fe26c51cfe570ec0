package org.tamanoir.services.qosmonitoring;

/**
 * The octets of probes that may leave this node: a token bucket that is never overdrawn. In any time T, no more than one second's worth and
 * T's worth leave. Integer arithmetic, so that nothing is lost by rounding.
 */
final class ProbeBudget {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private long rate;
    private long tokens;
    private long rest;
    private long lastNanos;

    /** @param rate octets a second, up to 10^9; the bucket holds as many and is full */
    ProbeBudget(long rate, long nowNanos) {
        this.rate = rate;
        this.tokens = rate;
        this.lastNanos = nowNanos;
    }

    /** From now on at another rate; nothing is added to what is there. */
    void change(long newRate, long nowNanos) {
        refill(nowNanos);
        rate = newRate;
        tokens = Math.min(tokens, newRate);
        rest = 0;
    }

    private void refill(long nowNanos) {
        long elapsed = nowNanos - lastNanos;
        if (elapsed <= 0) {
            return;
        }
        lastNanos = nowNanos;
        if (elapsed >= NANOS_PER_SECOND) {
            tokens = rate;
            rest = 0;
            return;
        }
        long earned = rest + elapsed * rate;
        tokens += earned / NANOS_PER_SECOND;
        rest = earned % NANOS_PER_SECOND;
        if (tokens >= rate) {
            tokens = rate;
            rest = 0;
        }
    }

    /** Takes octets if they and a reserve are there: all of them or none. */
    boolean take(long octets, long reserve, long nowNanos) {
        refill(nowNanos);
        if (tokens < octets + reserve) {
            return false;
        }
        tokens -= octets;
        return true;
    }

    /** Gives back what was taken and not sent. */
    void giveBack(long octets) {
        tokens = Math.min(rate, tokens + octets);
    }

    /** Octets a second. */
    long rate() {
        return rate;
    }

    /** Octets that could leave now. */
    long left(long nowNanos) {
        refill(nowNanos);
        return tokens;
    }

    /** Starts with nothing but what the version before had left. */
    void load(long left, long nowNanos) {
        refill(nowNanos);
        tokens = Math.max(0, Math.min(left, tokens));
    }
}
