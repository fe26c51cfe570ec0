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
import io.netty.handler.stream.ChunkedNioFile;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts a {@link Response} on the wire. */
final class ResponseWriter {
    /** Octets of a file that are in memory at a time, with TLS. */
    private static final int PIECE = 64 << 10;

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
        ByteRange range = unchanged || request == null ? null : range(response, request);
        HttpResponseStatus status = unchanged ? HttpResponseStatus.NOT_MODIFIED
                : range == null ? HttpResponseStatus.valueOf(response.status())
                : range.length() == 0 ? HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE : HttpResponseStatus.PARTIAL_CONTENT;
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
            length(head, response.body(), range, oldClient);
        }
        context.write(head);
        if (unchanged || headersOnly || range != null && range.length() == 0) {
            response.discard();
            return context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        }
        if (response.body() instanceof Response.Events) {
            return context.writeAndFlush(new DefaultHttpContent(Unpooled.EMPTY_BUFFER));
        }
        body(response.body(), range);
        return context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    /** Null for the whole. Only GET of a file has ranges; those of another content than the client knows are passed over (section 13.1.5). */
    private static ByteRange range(Response response, HttpRequest request) {
        String field = request.headers().get(HttpHeaderNames.RANGE);
        String ifRange = request.headers().get(HttpHeaderNames.IF_RANGE);
        if (field == null || !request.method().equals(HttpMethod.GET) || ifRange != null && !ifRange.equals(response.etag())) {
            return null;
        }
        return response.body() instanceof Response.OpenFile file ? ByteRange.of(field, file.size()) : null;
    }

    private static void length(HttpResponse head, Response.Body body, ByteRange range, boolean oldClient) {
        if (body instanceof Response.Octets octets) {
            HttpUtil.setContentLength(head, octets.octets().length);
        } else if (body instanceof Response.OpenFile file) {
            head.headers().set(HttpHeaderNames.ACCEPT_RANGES, HttpHeaderValues.BYTES);
            HttpUtil.setContentLength(head, range == null ? file.size() : range.length());
            if (range != null) {
                head.headers().set(HttpHeaderNames.CONTENT_RANGE, range.contentRange(file.size()));
            }
        } else {
            head.headers().set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_CACHE);
            HttpUtil.setTransferEncodingChunked(head, !oldClient);
        }
    }

    private void body(Response.Body body, ByteRange range) {
        if (body instanceof Response.Octets octets && octets.octets().length > 0) {
            ByteBuf content = Unpooled.wrappedBuffer(octets.octets());
            context.write(new DefaultHttpContent(content), watched());
        } else if (body instanceof Response.OpenFile file) {
            // Closes the file when it has been sent, or when the connection is gone.
            long first = range == null ? 0 : range.first();
            context.write(pieces(file.channel(), first, range == null ? file.size() : range.length()), watched());
        }
    }

    /** A file goes from the page cache to the socket, where nothing has to encrypt it. */
    private Object pieces(FileChannel file, long first, long length) {
        if (context.pipeline().get(ChunkedWriteHandler.class) == null) {
            return new DefaultFileRegion(file, first, length);
        }
        try {
            return new ChunkedNioFile(file, first, length, PIECE);
        } catch (IOException e) {
            throw new IllegalStateException("a file that is open cannot be read", e);
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

    /**
     * The octets of a file that a request asks for (RFC 9110, section 14).
     *
     * @param first the first one, counted from 0
     * @param length how many; 0 if the file has none of those that were asked for
     */
    record ByteRange(long first, long length) {
        /** One range. Several in one request may be answered with the whole (section 14.2), and are. */
        private static final Pattern FORM = Pattern.compile("bytes=[ \\t]*(?:(\\d{1,18})-(\\d{0,18})|-(\\d{1,18}))[ \\t]*", Pattern.CASE_INSENSITIVE);

        /**
         * What the field {@code Range} asks for.
         *
         * @param size of the file
         * @return null if it makes no sense or is more than one range, so that the whole file is the answer
         */
        static ByteRange of(String field, long size) {
            Matcher form = FORM.matcher(field);
            if (!form.matches()) {
                return null;
            }
            if (form.group(3) != null) {
                long suffix = Math.min(Long.parseLong(form.group(3)), size);
                return new ByteRange(size - suffix, suffix);
            }
            long first = Long.parseLong(form.group(1));
            long last = form.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(form.group(2));
            if (last < first) {
                return null;
            }
            return first >= size ? new ByteRange(0, 0) : new ByteRange(first, Math.min(last, size - 1) - first + 1);
        }

        /** The field {@code Content-Range} of the answer (section 14.4). */
        String contentRange(long size) {
            return length == 0 ? "bytes */" + size : "bytes " + first + "-" + (first + length - 1) + "/" + size;
        }
    }
}
