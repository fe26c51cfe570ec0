package org.tamanoir.transfer.copy;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.zip.Adler32;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.Adler;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.web.Incoming;
import org.tamanoir.transfer.web.WebClient;
import org.tamanoir.transfer.web.WebFile;

/**
 * One connection to a web server: a request for each piece, the next one as soon as the one before has come. A server that sends no parts of files is asked for a
 * whole one, of which piece after piece is taken; what comes before a piece is thrown away.
 */
final class WebPort implements Port {
    static final long STALL_NANOS = 15_000_000_000L;
    /** A file may have to come from a tape first. */
    private static final Duration ANSWER = Duration.ofSeconds(60);
    private static final int THROWN = 256 << 10;

    /** A request that was sent. @param piece for which */
    private record Asked(Piece piece, CompletableFuture<HttpResponse<Incoming>> answer) {
    }

    private final WebEnd end;
    private final LongConsumer moved;
    private final ArrayDeque<Piece> asked = new ArrayDeque<>();
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    /** The request whose answer comes now, or next; null for none. */
    private Asked current;
    /** Of a whole file that is coming: which, from where on, and how much of it has come. Null for none. */
    private WebFile whole;
    private Incoming wholeBody;
    private long wholeAt;

    /** @param moved is told how many octets have come */
    WebPort(WebEnd end, LongConsumer moved) {
        this.end = end;
        this.moved = moved;
    }

    @Override
    public void ask(Piece piece) {
        asked.add(piece);
        request();
    }

    /** Sends the request for the first piece that is waited for, if that has not been done. */
    private void request() {
        Piece piece = asked.peek();
        if (piece != null && current == null && piece.extent() != null && file(piece).ranges()) {
            Map<String, String> fields = new HashMap<>(file(piece).unchanged());
            fields.put("Range", "bytes=" + piece.offset() + "-" + (piece.offset() + piece.octets() - 1));
            current = new Asked(piece, end.client().begin("GET", file(piece).uri(), fields, null));
        }
    }

    private WebFile file(Piece piece) {
        return end.file(piece.file().from);
    }

    @Override
    public Content take() throws InterruptedException {
        Piece piece = asked.element();
        if (buffer.capacity() < piece.octets()) {
            buffer = ByteBuffer.allocateDirect(piece.octets());
        }
        buffer.clear().limit(piece.octets());
        WebFile file = file(piece);
        try {
            if (piece.extent() == null) {
                nothing(file);
            } else if (file.ranges()) {
                part(piece, file);
            } else {
                next(piece, file);
            }
            buffer.flip();
            if (piece.file().small) {
                compare(piece.file());
            }
        } catch (PieceFailed e) {
            throw e;
        } catch (AnepException e) {
            if (!isOfTheStream(e.code())) {
                throw PieceFailed.of(e);
            }
            throw e;
        } finally {
            asked.remove();
            request();
        }
        return Content.of(buffer);
    }

    /** Whether it may be better on another connection, or is the same for all files. */
    private static boolean isOfTheStream(ErrorCode code) {
        return code == ErrorCode.UNREACHABLE || code == ErrorCode.CONNECTION_LOST || Refusal.isFor(code);
    }

    /** An empty file, which is still empty. */
    private void nothing(WebFile file) throws InterruptedException {
        if (!end.client().find(file.uri()).stamp().sameContent(file.stamp())) {
            throw new AnepException(ErrorCode.SOURCE_CHANGED, "'" + file.uri() + "' has changed since the copy began");
        }
    }

    private void part(Piece piece, WebFile file) throws InterruptedException {
        request();
        CompletableFuture<HttpResponse<Incoming>> pending = current.answer();
        current = null;
        HttpResponse<Incoming> answer = WebClient.await(pending, file.uri(), ANSWER);
        try (Incoming body = answer.body()) {
            AnepException wrong = WebClient.unlike(file, piece.offset(), piece.octets(), answer);
            if (wrong != null) {
                throw wrong;
            }
            fill(body);
            // The connection is used again when its answer is over.
            if (!body.isOver(STALL_NANOS)) {
                throw new AnepException(ErrorCode.SOURCE_CHANGED, "more comes than was asked for");
            }
        }
    }

    private void fill(Incoming body) throws InterruptedException {
        while (buffer.hasRemaining()) {
            int limit = buffer.limit();
            int count = body.take(buffer.limit(Math.min(limit, buffer.position() + THROWN)), STALL_NANOS);
            buffer.limit(limit);
            if (count == 0) {
                throw new AnepException(ErrorCode.CONNECTION_LOST, "the answer has ended before its time");
            }
            moved.accept(count);
        }
    }

    /** A piece of a file that comes as a whole. */
    private void next(Piece piece, WebFile file) throws InterruptedException {
        if (whole != file || wholeAt > piece.offset()) {
            end();
            HttpResponse<Incoming> answer = end.client().send("GET", file.uri(), file.unchanged(), null);
            whole = file;
            wholeBody = answer.body();
            wholeAt = 0;
            AnepException wrong = WebClient.unlike(file, 0, file.stamp().size(), answer);
            if (wrong != null) {
                end();
                throw wrong;
            }
        }
        ByteBuffer thrown = ByteBuffer.allocate(THROWN);
        while (wholeAt < piece.offset()) {
            int count = wholeBody.take(thrown.clear().limit((int) Math.min(THROWN, piece.offset() - wholeAt)), STALL_NANOS);
            if (count == 0) {
                throw new AnepException(ErrorCode.CONNECTION_LOST, "the answer has ended before its time");
            }
            wholeAt += count;
            moved.accept(count);
        }
        fill(wholeBody);
        wholeAt += piece.octets();
        if (wholeAt == file.stamp().size()) {
            end();
        }
    }

    private void end() {
        if (wholeBody != null) {
            wholeBody.close();
            whole = null;
            wholeBody = null;
        }
    }

    /** A file that goes in one piece gets its name with it, so what its server says of it is compared before. */
    private void compare(FileJob file) {
        String said = end.checksum(file);
        Adler32 sum = new Adler32();
        sum.update(buffer.duplicate());
        String found = Adler.text((int) sum.getValue());
        if (said != null && !said.equals(found)) {
            throw new AnepException(ErrorCode.NOT_IDENTICAL, "what came of '" + file.from + "' has ADLER32 " + found + ", and its server says " + said);
        }
    }

    @Override
    public void give(Piece piece, Content content) {
        throw new IllegalStateException("a web server is no destination");
    }

    @Override
    public void settle() {
        throw new IllegalStateException("a web server is no destination");
    }

    @Override
    public void close() {
        if (current != null) {
            WebClient.drop(current.answer());
            current = null;
        }
        end();
    }
}
