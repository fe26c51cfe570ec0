package org.tamanoir.node.tcpstate;

import org.tamanoir.paths.verdict.NodeTimes;

/**
 * Where the time of one direction of a stream goes in this node. Clocks run while something lasts, and nothing is done for a packet: a clock is looked at when a
 * service begins and ends what it does about one read, or when something begins or ends that makes the source wait. On the loop of the stream.
 */
public final class StreamTimes {
    /** A clock that runs while at least one reason for it lasts. */
    private static final class Clock {
        private int reasons;
        private long since;
        private long nanos;

        void begin(long now) {
            if (reasons++ == 0) {
                since = now;
            }
        }

        void end(long now) {
            if (--reasons == 0) {
                nanos += now - since;
            }
        }

        long nanos(long now) {
            return reasons > 0 ? nanos + now - since : nanos;
        }
    }

    private final Clock service = new Clock();
    private final Clock paused = new Clock();
    private final Clock limited = new Clock();
    private boolean isFull;
    private long entered;
    private boolean inside;
    private long onLoop;
    private long queued;

    /** Services begin to look at what was read; what comes from within counts once. */
    public void enter(long now) {
        if (!inside) {
            inside = true;
            entered = now;
        }
    }

    /** After {@link #enter}, and any number of times. */
    public void leave() {
        if (inside) {
            inside = false;
            onLoop += Math.max(0, System.nanoTime() - entered);
        }
    }

    /** A service with threads of its own has something to do, or makes the source wait; or it does not any more. */
    public void works(boolean now) {
        change(service, now);
    }

    /** The source is over the rate that it may have, or not any more. */
    public void limits(boolean now) {
        change(limited, now);
    }

    /** Whether what is behind the node takes no more. */
    public void isFull(boolean now) {
        if (now != isFull) {
            isFull = now;
            change(paused, now);
        }
    }

    private static void change(Clock clock, boolean begins) {
        if (begins) {
            clock.begin(System.nanoTime());
        } else {
            clock.end(System.nanoTime());
        }
    }

    /** Octets have gone to the threads of a service, or come back from them. */
    public void queued(long more) {
        queued += more;
    }

    /** Octets that wait for the threads of services. */
    public long queued() {
        return queued;
    }

    long serviceNanos(long now) {
        return onLoop + service.nanos(now);
    }

    /** How long what is behind the node has taken no more. */
    public long pausedNanos(long now) {
        return paused.nanos(now);
    }

    long classNanos(long now) {
        return limited.nanos(now);
    }

    /**
     * All of it.
     *
     * @param pending octets that wait for the next hop
     * @param octets  that have come from the source
     */
    public NodeTimes at(long now, long pending, long octets) {
        return new NodeTimes(serviceNanos(now), pausedNanos(now), classNanos(now), queued + pending, octets);
    }
}
