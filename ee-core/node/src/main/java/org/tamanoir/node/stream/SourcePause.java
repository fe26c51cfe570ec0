package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;

/** Whether one handler makes the source of one direction of its stream wait, and why. Asked on the handler's own thread, done on the loop of the stream. */
final class SourcePause {
    /** One of the reasons that a handler can have. */
    private static final class Reason {
        private final boolean isRate;
        private boolean wanted;
        private boolean paused;

        Reason(boolean isRate) {
            this.isRate = isRate;
        }
    }

    private final EventLoop loop;
    private final boolean possible;
    private final Reason work = new Reason(false);
    private final Reason rate = new Reason(true);
    private FlowControl flow;

    /** @param possible whether the source can be made to wait: TCP can */
    SourcePause(EventLoop loop, boolean possible) {
        this.loop = loop;
        this.possible = possible;
    }

    /** The stream flows: what the handler has wanted while it was opened is done now. On the loop. */
    void on(FlowControl forward) {
        flow = forward;
        apply(work);
        apply(rate);
    }

    /** See {@link org.tamanoir.service.StreamContext#pauseSource}. */
    boolean pause(boolean pause) {
        return pause(work, pause);
    }

    /** See {@link org.tamanoir.service.StreamContext#holdToRate}. */
    boolean holdToRate(boolean hold) {
        return pause(rate, hold);
    }

    private boolean pause(Reason reason, boolean pause) {
        if (!possible) {
            return false;
        }
        if (loop.inEventLoop()) {
            want(reason, pause);
        } else {
            try {
                loop.execute(() -> want(reason, pause));
            } catch (RejectedExecutionException e) {
                return false;
            }
        }
        return true;
    }

    /** The handler is not called any more: nobody else would let the source go on. Any thread. */
    void release() {
        pause(false);
        holdToRate(false);
    }

    private void want(Reason reason, boolean pause) {
        reason.wanted = pause;
        apply(reason);
    }

    private void apply(Reason reason) {
        if (flow != null && reason.wanted != reason.paused) {
            reason.paused = reason.wanted;
            flow.pause(reason.paused, reason.isRate);
        }
    }
}
