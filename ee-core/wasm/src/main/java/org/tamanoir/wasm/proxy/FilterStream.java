package org.tamanoir.wasm.proxy;

import java.time.Duration;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Output;
import org.tamanoir.service.Run;
import org.tamanoir.service.RunHandler;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Timer;
import org.tamanoir.wasm.module.WasmLimits;

/**
 * One stream in a filter. Toward the destination is the filter's downstream data, back to the source its upstream data. A run of packets is one call
 * of the filter; packets without payload say something between nodes, and are not shown to it.
 *
 * <p>What the filter wants of the stream ({@code proxy_continue_stream}, {@code proxy_close_stream}) is done when its callback has returned.
 */
final class FilterStream implements RunHandler {
    /** What a filter may hold back in one direction. */
    static final int MOST_HELD = 1 << 20;
    /** Held back, from which on the sender is made to wait. */
    private static final int PAUSE_AT = 256 << 10;
    private static final int PAUSE = 1;
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;

    private final ProxyService service;
    private final StreamContext stream;
    private final Properties properties;
    private final Direction downstream;
    private final Direction upstream;
    private Filter filter;
    private int context;
    private boolean closing;
    private Timer tick;

    FilterStream(ProxyService service, StreamContext stream, Properties properties) {
        this.service = service;
        this.stream = stream;
        this.properties = properties;
        this.downstream = new Direction("proxy_on_downstream_data", "proxy_on_downstream_connection_close", service.limits());
        this.upstream = new Direction("proxy_on_upstream_data", "proxy_on_upstream_connection_close", service.limits());
    }

    /** One way of the stream. */
    private final class Direction {
        private final StreamData data;
        private final String callback;
        private final String closed;
        private boolean paused;
        private boolean waits;
        /** The filter has not been shown what is held, for it has not let the connection be. */
        private boolean unseen;
        private boolean resume;
        private boolean ended;
        private boolean endHeld;

        Direction(String callback, String closed, WasmLimits limits) {
            this.data = new StreamData(limits.outputRatio(), limits.outputGrace());
            this.callback = callback;
            this.closed = closed;
        }

        /** Shows the filter what is there, and does what it says. */
        private void show(Output out) {
            if (unseen) {
                data.hold();
                return;
            }
            if (!filter.has(callback)) {
                data.goOn(out);
                return;
            }
            paused = filter.call(context, callback, data.length(), ended ? 1 : 0) == PAUSE;
            if (paused && !resume) {
                data.hold();
            } else {
                paused = false;
                resume = false;
                data.goOn(out);
            }
        }

        private void bound() {
            if (data.length() > MOST_HELD) {
                throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the filter holds back " + data.length() + " octets; " + MOST_HELD + " are allowed");
            }
        }

        /** @return whether that its sender waits is another than it was */
        private boolean isToWait() {
            boolean before = waits;
            waits = paused && data.length() >= PAUSE_AT;
            return waits != before;
        }

        /** The filter has said that it goes on, outside its callback. */
        private void resumed(Output out) {
            if (!resume) {
                return;
            }
            resume = false;
            paused = false;
            if (unseen) {
                unseen = false;
                if (data.length() > 0 || ended) {
                    show(out);
                } else {
                    data.goOn(out);
                }
            } else {
                data.goOn(out);
            }
            if (endHeld && !paused) {
                endHeld = false;
                out.releaseEnd();
            }
        }
    }

    StreamData downstream() {
        return downstream.data;
    }

    StreamData upstream() {
        return upstream.data;
    }

    Properties properties() {
        return properties;
    }

    /** {@code proxy_continue_stream}. */
    void goOn(boolean isDownstream) {
        (isDownstream ? downstream : upstream).resume = true;
    }

    /** {@code proxy_close_stream}: either connection ends with the other. */
    void closeSoon() {
        closing = true;
    }

    @Override
    public void onRun(Run run, Output out) {
        arrived(downstream, run, out, null);
    }

    @Override
    public void onReturnRun(Run run, Output out) {
        arrived(upstream, run, null, out);
    }

    private void arrived(Direction direction, Run run, Output forward, Output back) {
        begin();
        direction.data.begin(run);
        if (closing) {
            direction.data.drop();
            return;
        }
        if (direction.data.length() > 0) {
            direction.show(forward != null ? forward : back);
            direction.bound();
        } else if (direction.paused) {
            direction.data.hold();
        } else {
            direction.data.goOn(forward != null ? forward : back);
        }
        settle(forward, back);
    }

    @Override
    public void onEnd(Output out) {
        end(downstream, out, null);
    }

    @Override
    public void onReturnEnd(Output out) {
        end(upstream, null, out);
    }

    private void end(Direction direction, Output forward, Output back) {
        begin();
        direction.ended = true;
        if (closing) {
            return;
        }
        Output out = forward != null ? forward : back;
        direction.show(out);
        if (direction.paused || direction.unseen) {
            direction.endHeld = true;
            out.holdEnd();
        }
        settle(forward, back);
    }

    /** The instance is made here, and not when the stream is opened, which is on the event loop of the node. */
    private void begin() {
        if (filter != null) {
            return;
        }
        filter = service.lease();
        context = filter.open(this);
        boolean paused = filter.call(context, "proxy_on_new_connection") == PAUSE;
        for (Direction direction : new Direction[] {downstream, upstream}) {
            direction.paused = paused && !direction.resume;
            direction.unseen = direction.paused;
            direction.resume = false;
        }
        // A connection is let be as a whole.
        upstream.paused = downstream.paused;
        upstream.unseen = downstream.unseen;
    }

    /** Does what the filter has asked for meanwhile, as far as the ways are at hand; the rest in a task. */
    private void settle(Output forward, Output back) {
        if (closing) {
            if (forward == null || back == null) {
                stream.execute(this::settle);
                return;
            }
            downstream.data.release();
            upstream.data.release();
            forward.finish();
            back.finish();
            return;
        }
        if (downstream.resume && downstream.unseen) {
            upstream.resume = true;
        }
        if (forward != null) {
            downstream.resumed(forward);
        }
        if (back != null) {
            upstream.resumed(back);
        }
        if (downstream.resume || upstream.resume || closing) {
            stream.execute(this::settle);
        }
        if (downstream.isToWait()) {
            stream.pauseSource(downstream.waits);
        }
        if (upstream.isToWait()) {
            stream.pauseDestination(upstream.waits);
        }
        if (tick == null && filter.tickPeriod() > 0) {
            tick = stream.later(Duration.ofMillis(filter.tickPeriod()), this::tick);
        }
    }

    private void tick(Output forward, Output back) {
        tick = null;
        if (filter.tickPeriod() > 0) {
            filter.call(Filter.ROOT, "proxy_on_tick");
        }
        settle(forward, back);
    }

    @Override
    public Map<String, Object> report() {
        return Map.of("context", context, "heldDownstream", downstream.data.length(), "heldUpstream", upstream.data.length());
    }

    @Override
    public void close() {
        downstream.data.release();
        upstream.data.release();
        if (filter != null) {
            service.giveBack(filter, isOver());
            filter = null;
        }
    }

    /** Tells the filter that its stream is over. @return whether another stream can use the instance */
    private boolean isOver() {
        if (filter.hasFailed()) {
            return false;
        }
        try {
            filter.call(context, downstream.closed, downstream.ended ? REMOTE : LOCAL);
            filter.call(context, upstream.closed, upstream.ended ? REMOTE : LOCAL);
            return filter.end(context);
        } catch (AnepException e) {
            service.failedAtTheEnd(e);
            return false;
        }
    }
}
