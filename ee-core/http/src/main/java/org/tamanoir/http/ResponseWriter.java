package org.tamanoir.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;

/** Puts a {@link Response} on the wire. */
final class ResponseWriter {
    private final ChannelHandlerContext context;
    private final Runnable progress;

    /** @param progress called on the event loop whenever octets have left */
    ResponseWriter(ChannelHandlerContext context, Runnable progress) {
        this.context = context;
        this.progress = progress;
    }

    /**
     * Writes everything but the events of a stream of events.
     *
     * @param request the head of the request, or null if none came
     * @return done when all has left
     */
    ChannelFuture write(Response response, HttpRequest request, boolean keepAlive) {
        boolean headersOnly = request != null && request.method().equals(HttpMethod.HEAD);
        // HTTP/1.0 knows no chunks.
        boolean oldClient = request != null && request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        boolean unchanged = request != null && response.isNamedBy(request.headers().get(HttpHeaderNames.IF_NONE_MATCH));
        HttpResponseStatus status = unchanged ? HttpResponseStatus.NOT_MODIFIED : HttpResponseStatus.valueOf(response.status());
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        HttpHeaders headers = head.headers();
        response.headers().forEach(field -> headers.add(field.getKey(), field.getValue()));
        headers.set("X-Content-Type-Options", "nosniff");
        if (response.etag() != null) {
            headers.set(HttpHeaderNames.ETAG, response.etag());
        }
        headers.set(HttpHeaderNames.CONNECTION, keepAlive ? HttpHeaderValues.KEEP_ALIVE : HttpHeaderValues.CLOSE);
        if (response.type() != null && !unchanged) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, response.type());
        }
        if (!unchanged && response.status() != 204) {
            length(head, response.body(), oldClient);
        }
        context.write(head);
        if (unchanged || headersOnly) {
            response.discard();
            return context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        if (response.body() instanceof Response.Events) {
            return context.writeAndFlush(new DefaultHttpContent(Unpooled.EMPTY_BUFFER));
        }
        body(response.body());
        return context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    private static void length(HttpResponse head, Response.Body body, boolean oldClient) {
        if (body instanceof Response.Octets octets) {
            HttpUtil.setContentLength(head, octets.octets().length);
        } else if (body instanceof Response.OpenFile file) {
            HttpUtil.setContentLength(head, file.size());
        } else {
            head.headers().set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_CACHE);
            HttpUtil.setTransferEncodingChunked(head, !oldClient);
        }
    }

    private void body(Response.Body body) {
        if (body instanceof Response.Octets octets && octets.octets().length > 0) {
            ByteBuf content = Unpooled.wrappedBuffer(octets.octets());
            context.write(new DefaultHttpContent(content), watched());
        } else if (body instanceof Response.OpenFile file) {
            // Closes the file when it has been sent, or when the connection is gone.
            context.write(new DefaultFileRegion(file.channel(), 0, file.size()), watched());
        }
    }

    private ChannelProgressivePromise watched() {
        ChannelProgressivePromise promise = context.newProgressivePromise();
        promise.addListener(new ChannelProgressiveFutureListener() {
            @Override
            public void operationProgressed(ChannelProgressiveFuture future, long done, long total) {
                progress.run();
            }

            @Override
            public void operationComplete(ChannelProgressiveFuture future) {
                progress.run();
            }
        });
        return promise;
    }
}
