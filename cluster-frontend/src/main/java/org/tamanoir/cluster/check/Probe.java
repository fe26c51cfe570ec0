package org.tamanoir.cluster.check;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One {@code GET /health}: the first line of the answer counts, and the connection is closed behind it. What is read is bounded by the codec. */
final class Probe extends ChannelInboundHandlerAdapter {
    private static final int OK = 200;
    private static final int LINE = 512;
    private static final int HEADER = 8192;
    private static final int CHUNK = 1024;

    private final String host;
    private final Consumer<Check.Result> result;
    private boolean told;

    private Probe(String host, Consumer<Check.Result> result) {
        this.host = host;
        this.result = result;
    }

    /**
     * Asks once.
     *
     * @param result told once, on the loop
     * @return the connection, which is closed by the time that the result is told
     */
    static Channel of(EventLoop loop, Target target, Duration timeout, Consumer<Check.Result> result) {
        String address = target.address().getHostAddress();
        Probe probe = new Probe((address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + target.port(), result);
        ChannelFuture connecting = new Bootstrap().group(loop).channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new HttpClientCodec(LINE, HEADER, CHUNK), probe);
                    }
                })
                .connect(new InetSocketAddress(target.address(), target.port()));
        Channel channel = connecting.channel();
        var limit = loop.schedule(() -> probe.tell(channel, Check.Result.TIMEOUT), timeout.toNanos(), TimeUnit.NANOSECONDS);
        channel.closeFuture().addListener(closed -> limit.cancel(false));
        connecting.addListener((ChannelFutureListener) future -> {
            if (!future.isSuccess()) {
                probe.tell(channel, failure(future.cause()));
            }
        });
        return channel;
    }

    private static Check.Result failure(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return Check.Result.TIMEOUT;
        }
        return cause instanceof ConnectException ? Check.Result.REFUSED : Check.Result.BAD;
    }

    private void tell(Channel channel, Check.Result outcome) {
        if (!told) {
            told = true;
            channel.close();
            result.accept(outcome);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/health");
        request.headers().set(HttpHeaderNames.HOST, host).set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        context.writeAndFlush(request);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpResponse response) {
                boolean good = response.decoderResult().isSuccess() && response.status().code() == OK;
                tell(context.channel(), good ? Check.Result.GOOD : Check.Result.BAD);
            } else if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
                tell(context.channel(), Check.Result.BAD);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        tell(context.channel(), Check.Result.BAD);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        tell(context.channel(), Check.Result.BAD);
    }
}
