package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;

/** Whether one handler makes the source of its stream wait. Asked on the handler's own thread, done on the loop of the stream. */
final class SourcePause {
    private final EventLoop loop;
    private final boolean possible;
    private FlowControl flow;
    private boolean wanted;
    private boolean paused;

    /** @param possible whether the source can be made to wait: TCP can */
    SourcePause(EventLoop loop, boolean possible) {
        this.loop = loop;
        this.possible = possible;
    }

    /** The stream flows: what the handler has wanted while it was opened is done now. On the loop. */
    void on(FlowControl forward) {
        flow = forward;
        apply();
    }

    /** See {@link org.tamanoir.service.StreamContext#pauseSource}. */
    boolean pause(boolean pause) {
        if (!possible) {
            return false;
        }
        if (loop.inEventLoop()) {
            want(pause);
        } else {
            try {
                loop.execute(() -> want(pause));
            } catch (RejectedExecutionException e) {
                return false;
            }
        }
        return true;
    }

    /** The handler is not called any more: nobody else would let the source go on. Any thread. */
    void release() {
        pause(false);
    }

    private void want(boolean pause) {
        wanted = pause;
        apply();
    }

    private void apply() {
        if (flow != null && wanted != paused) {
            paused = wanted;
            flow.pause(paused);
        }
    }
}
