package org.tamanoir.http.fetch;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** One transfer that goes on where an earlier one broke (RFC 9110, section 14). */
final class Resumption {
    private static final int PARTIAL = 206;
    private static final int NOT_SATISFIABLE = 416;

    private final Exchange exchange;
    private final Path file;
    private final long limit;
    /** Octets of the file that stay; written before the answer's body is, by another thread. */
    private volatile long kept;

    Resumption(Exchange exchange, Path file, long limit) {
        this.exchange = exchange;
        this.file = file;
        this.limit = limit;
    }

    long fetch(HttpRequest.Builder request, String etag) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            kept = Math.min(channel.size(), limit);
            long had = kept;
            if (had > 0) {
                request.header("Range", "bytes=" + had + "-").header("If-Range", etag);
            }
            Exchange.Answer answer = exchange.send(request.build(), limit, info -> receive(info, channel, had));
            if (answer.status() == NOT_SATISFIABLE) {
                // It has no more than the file: then the file is whole, or it is nothing that the server has.
                return 0;
            }
            return channel.size() - kept;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private BodySubscriber<Long> receive(ResponseInfo answer, FileChannel channel, long had) {
        int status = answer.statusCode();
        String range = answer.headers().firstValue("Content-Range").orElse("");
        if (status == NOT_SATISFIABLE && had > 0) {
            return new BoundedBody(OutputStream.nullOutputStream(), 0);
        }
        boolean continues = status == PARTIAL && had > 0 && range.startsWith("bytes " + had + "-");
        if (!continues && status != 200) {
            return null;
        }
        kept = continues ? had : 0;
        try {
            channel.truncate(kept).position(kept);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new BoundedBody(Channels.newOutputStream(channel), limit - kept);
    }
}
