package org.tamanoir.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;

/**
 * One connection: one request after another, one at a time. Nothing is read that is not asked for, so requests that come before their
 * turn wait in the socket and the peer feels it. Everything here runs on the connection's event loop but {@link Work}.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** What the connection waits for. Each state but WORKING, which is the handler's, has its time limit in {@link #tick}. */
    private enum State {
        HEAD, BODY, WORKING, WRITING, EVENTS, LINGERING, CLOSED
    }

    private final ServerCore server;
    private final HttpLimits limits;
    private final RequestQueue inbox = new RequestQueue(this::take, () -> this.context.read());
    private ChannelHandlerContext context;
    private Caller caller;
    private ScheduledFuture<?> ticks;
    private State state = State.HEAD;
    /** When the state began, or last showed progress; {@link System#nanoTime}. */
    private long since = System.nanoTime();

    private HttpRequest head;
    private Request request;
    /** The answer to a request without a body that was refused from its head. */
    private Response refusal;
    private BodySink sink = BodySink.NONE;
    private boolean sinkBusy;
    private long bodyLimit;
    private long received;
    private boolean stopping;
    private EventStream events;

    Connection(ServerCore server) {
        this.server = server;
        this.limits = server.limits();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        caller = HttpSocket.caller(ctx.channel());
        long tick = limits.tickMillis();
        ticks = ctx.executor().scheduleAtFixedRate(this::tick, tick, tick, TimeUnit.MILLISECONDS);
        boolean admitted = server.admit(this, caller.account());
        boolean mayStay = caller.address() != null || HttpSocket.isOurs(caller.user());
        if (admitted && mayStay) {
            inbox.more();
        } else if (!mayStay || tls() != null) {
            ctx.close();
        } else {
            enter(State.LINGERING);
            write(HttpError.response(Refusal.tooManyConnections()), false).addListener(done -> ctx.close());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        inbox.add(message);
    }

    private void take(Object message) {
        switch (state) {
            case HEAD -> {
                if (message instanceof HttpRequest next) {
                    onHead(next);
                } else {
                    inbox.more();
                }
                ReferenceCountUtil.release(message);
            }
            case BODY -> onBody((HttpContent) message);
            case LINGERING -> onRest(message);
            default -> {
                // Somebody who listens to events has nothing to say.
                ReferenceCountUtil.release(message);
                context.close();
            }
        }
    }

    private void onHead(HttpRequest next) {
        head = next;
        request = null;
        refusal = null;
        received = 0;
        enter(State.BODY);
        if (next.decoderResult().isFailure()) {
            lingerAfter(Refusal.badHead(next.decoderResult().cause()));
            return;
        }
        try {
            request = Request.of(next, proven(), server.routes());
            bodyLimit = request.route().limit(limits);
        } catch (AnepException e) {
            refuseHead(e);
            return;
        }
        Request asked = request;
        if (asked.route().taking() == null) {
            judged(judge(asked));
        } else {
            enter(State.WORKING);
            if (!server.execute(asked.route(), () -> judgeElsewhere(asked))) {
                enter(State.BODY);
                refuseHead(Refusal.tooManyRequests());
            }
        }
    }

    /** Where a body goes, or why it is not taken. */
    private record Judgement(BodySink sink, AnepException refusal) {
    }

    private Judgement judge(Request asked) {
        try {
            return new Judgement(server.judge(asked), null);
        } catch (AnepException e) {
            return new Judgement(null, e);
        } catch (RuntimeException e) {
            LOG.error("a request's head could not be judged", e);
            return new Judgement(null, Refusal.defect());
        }
    }

    private void judgeElsewhere(Request asked) {
        Judgement judgement = judge(asked);
        boolean told = onLoop(() -> {
            if (state == State.CLOSED) {
                sink = judgement.sink() == null ? BodySink.NONE : judgement.sink();
                discardSink();
            } else {
                enter(State.BODY);
                judged(judgement);
            }
        });
        if (!told && judgement.sink() != null) {
            judgement.sink().discard();
        }
    }

    private void judged(Judgement judgement) {
        if (judgement.refusal() != null) {
            refuseHead(judgement.refusal());
            return;
        }
        sink = judgement.sink();
        if (HttpUtil.is100ContinueExpected(head)) {
            context.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
        }
        inbox.more();
    }

    /** Null without TLS. */
    private SslHandler tls() {
        return context.pipeline().get(SslHandler.class);
    }

    /** With what the certificate says, which is known once the handshake is over. */
    private Caller proven() {
        SslHandler tls = tls();
        return tls == null ? caller : new Caller(caller.address(), caller.user(), server.names(tls.engine().getSession()));
    }

    private void refuseHead(AnepException reason) {
        boolean hasBody = HttpUtil.isTransferEncodingChunked(head) || HttpUtil.getContentLength(head, 0L) > 0;
        if (hasBody) {
            lingerAfter(reason);
        } else {
            refusal = HttpError.response(reason);
            inbox.more();
        }
    }

    private void onBody(HttpContent piece) {
        boolean last = piece instanceof LastHttpContent;
        int size = piece.content().readableBytes();
        received += size;
        AnepException wrong = piece.decoderResult().isFailure() ? Refusal.badChunks()
                : received > bodyLimit ? Refusal.tooLarge(bodyLimit) : null;
        if (size == 0 || wrong != null || refusal != null) {
            piece.release();
            bodyGoesOn(wrong, last);
            return;
        }
        sinkBusy = true;
        sink.accept(piece.content(), error -> {
            if (context.executor().inEventLoop()) {
                taken(error, last);
            } else {
                onLoop(() -> taken(error, last));
            }
        });
    }

    private void taken(AnepException error, boolean last) {
        sinkBusy = false;
        bodyGoesOn(error, last);
    }

    private void bodyGoesOn(AnepException wrong, boolean last) {
        if (state != State.BODY) {
            return;
        }
        if (wrong != null) {
            lingerAfter(wrong);
        } else if (!last) {
            inbox.more();
        } else if (refusal != null) {
            respond(refusal);
        } else {
            enter(State.WORKING);
            Request whole = request;
            BodySink body = sink;
            if (!server.execute(request.route(), () -> work(whole, body))) {
                discardSink();
                respond(HttpError.response(Refusal.tooManyRequests()));
            }
        }
    }

    /** On a worker. */
    private void work(Request whole, BodySink body) {
        Response answer = Work.answer(whole, body);
        if (answer.body() instanceof Response.Later later) {
            later.response().whenComplete((response, error) -> answered(error == null ? response : Work.failed(whole, error)));
        } else {
            answered(answer);
        }
    }

    /** From any thread. */
    private void answered(Response answer) {
        if (!onLoop(() -> respond(answer))) {
            answer.discard();
        }
    }

    private void respond(Response response) {
        if (state == State.CLOSED) {
            response.discard();
            return;
        }
        sink = BodySink.NONE;
        boolean keepAlive = !stopping && HttpUtil.isKeepAlive(head);
        boolean streams = response.body() instanceof Response.Events && !head.method().equals(HttpMethod.HEAD);
        ChannelFuture sent = write(response, keepAlive && !streams);
        enter(streams ? State.EVENTS : State.WRITING);
        if (streams) {
            Response.Events body = (Response.Events) response.body();
            events = new EventStream(context.channel(), this::progressed, body.heartbeats(), body.bound());
            EventStream stream = events;
            if (!server.execute(() -> ((Response.Events) response.body()).source().accept(stream))) {
                context.close();
            }
            inbox.more();
            return;
        }
        sent.addListener(done -> {
            if (!done.isSuccess() || !keepAlive || stopping) {
                context.close();
            } else if (state == State.WRITING) {
                head = null;
                request = null;
                enter(State.HEAD);
                inbox.more();
            }
        });
    }

    private ChannelFuture write(Response response, boolean keepAlive) {
        if (request != null && !head.method().equals(HttpMethod.GET) && !head.method().equals(HttpMethod.HEAD)) {
            server.journal().answered(request, response.status(), response.body() instanceof Response.Octets text
                    ? new String(text.octets(), StandardCharsets.UTF_8) : "");
        }
        return new ResponseWriter(context, this::progressed).write(response, head, keepAlive);
    }

    /**
     * Answers in the middle of a request, then reads on for a while and throws away what comes: closing at once would reset the
     * connection and take the answer with it (RFC 9112 section 9.6).
     */
    private void lingerAfter(AnepException reason) {
        discardSink();
        received = 0;
        ChannelFuture sent = write(HttpError.response(reason), false);
        enter(State.LINGERING);
        sent.addListener(done -> {
            SslHandler tls = tls();
            if (tls != null) {
                tls.closeOutbound();
            } else if (context.channel() instanceof DuplexChannel duplex && duplex.isActive()) {
                duplex.shutdownOutput();
            }
        });
        inbox.more();
    }

    private void onRest(Object message) {
        if (message instanceof HttpContent piece) {
            received += piece.content().readableBytes();
        }
        boolean last = message instanceof LastHttpContent;
        ReferenceCountUtil.release(message);
        if (last || received > limits.lingerOctets()) {
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> context.close());
        } else {
            inbox.more();
        }
    }

    private void tick() {
        long waited = System.nanoTime() - since;
        long idle = limits.idle().toNanos();
        switch (state) {
            case HEAD, WRITING, LINGERING -> {
                if (waited > (state == State.LINGERING ? limits.linger().toNanos() : idle)) {
                    context.close();
                }
            }
            case BODY -> {
                if (!sinkBusy && waited > limits.bodyNanos(received)) {
                    lingerAfter(Refusal.tooSlow());
                }
            }
            case EVENTS -> {
                if (waited > idle && events.isBehind()) {
                    context.close();
                } else if (waited > idle / 2 && !events.isBehind()) {
                    events.heartbeat();
                }
            }
            default -> {
            }
        }
    }

    /** Ends the connection as soon as nothing is under way on it. From any thread. */
    void stop() {
        onLoop(() -> {
            stopping = true;
            if (state == State.HEAD) {
                context.close();
            } else if (state == State.EVENTS) {
                events.close();
            }
        });
    }

    /** Ends the connection now. From any thread. */
    void abort() {
        onLoop(context::close);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        boolean working = state == State.WORKING;
        enter(State.CLOSED);
        ticks.cancel(false);
        inbox.clear();
        if (!working) {
            discardSink();
        }
        server.closed(this, caller.account());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("a connection of {} failed", caller, cause);
        ctx.close();
    }

    private void discardSink() {
        BodySink left = sink;
        sink = BodySink.NONE;
        if (left != BodySink.NONE && !server.execute(left::discard)) {
            left.discard();
        }
    }

    private boolean onLoop(Runnable task) {
        try {
            context.executor().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("the event loop has stopped", e);
            return false;
        }
    }

    private void enter(State next) {
        state = next;
        since = System.nanoTime();
    }

    private void progressed() {
        enter(state);
    }

    /** What a worker does for one request: hands it its body, calls the handler, and makes a response of whatever comes out. */
    static final class Work {
        private static final Logger LOG = LoggerFactory.getLogger(Work.class);

        private Work() {
        }

        static Response answer(Request request, BodySink body) {
            try {
                body.finish(request);
                return TextView.view(request, request.route().handler().handle(request));
            } catch (Throwable e) {
                return failed(request, e);
            } finally {
                body.discard();
            }
        }

        static Response failed(Request request, Throwable error) {
            Throwable reason = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
            if (reason instanceof AnepException known) {
                return HttpError.response(known);
            }
            LOG.error("{} {} failed", request.method(), request.path(), reason);
            return HttpError.response(Refusal.defect());
        }
    }
}
