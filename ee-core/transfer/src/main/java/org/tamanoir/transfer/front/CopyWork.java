package org.tamanoir.transfer.front;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.Adler32;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.Adler;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.copy.CopyOptions;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.copy.Plan;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.web.Digests;
import org.tamanoir.transfer.web.Incoming;
import org.tamanoir.transfer.web.WebClient;
import org.tamanoir.transfer.web.WebFile;

/** What a COPY has to do. {@link #run} is called once; the rest from other threads. */
interface CopyWork {
    /** Octets of an extent, and of the memory that one stream takes. */
    int EXTENT = 4 << 20;

    /** Does it. @throws AnepException if it does not come to its end */
    void run() throws InterruptedException;

    /** Octets that have gone over. */
    long moved();

    /** Ends it for this reason, which {@link #run} throws. */
    void stop(AnepException why);

    /** By extents, several at a time: from a web server or a mover, or to a mover. */
    final class ByExtents implements CopyWork {
        private static final Duration PATIENCE = Duration.ofSeconds(60);

        private final LocalStore files;
        private final String path;
        private final CopyRequest asked;
        private final CopyOptions options;
        private final TamanoirClient client;
        private final WebClient web;
        private volatile Plan plan;
        private volatile AnepException stopped;

        ByExtents(LocalStore files, String path, CopyRequest asked, int streams, TamanoirClient client, WebClient web) {
            this.files = files;
            this.path = path;
            this.asked = asked;
            this.client = client;
            this.web = web;
            this.options = CopyOptions.PRESET.token(asked.token()).streams(streams, EXTENT).patience(PATIENCE);
        }

        @Override
        public void run() throws InterruptedException {
            try (Plan made = Plan.ofOne(files, path, asked.other(), asked.pull(), asked.checksumNeeded(), options, client, web)) {
                plan = made;
                if (stopped != null) {
                    throw stopped;
                }
                CopyReport report = made.run();
                if (report.failures() > 0) {
                    throw report.failed().get(0).thrown();
                }
            }
        }

        @Override
        public long moved() {
            Plan made = plan;
            return made == null ? 0 : made.movedOctets();
        }

        @Override
        public void stop(AnepException why) {
            stopped = why;
            Plan made = plan;
            if (made != null) {
                made.stop(why);
            }
        }
    }

    /** To a web server, which takes a file as a whole. */
    final class ByPut implements CopyWork {
        private static final int READ = 1 << 20;
        /** Without an octet; and, when all have left, without an answer: the other side may have to read the file again. */
        private static final long STALL_NANOS = 60_000_000_000L;
        private static final long LAST_STALL_NANOS = 600_000_000_000L;

        private final Resource source;
        private final FileStamp stamp;
        private final CopyRequest asked;
        private final WebClient web;
        private final AtomicLong sent = new AtomicLong();
        private volatile AnepException stopped;
        private volatile CompletableFuture<HttpResponse<Incoming>> pending;

        ByPut(Resource source, CopyRequest asked, WebClient web) {
            this.source = source;
            this.stamp = FileStamp.of(source.attributes());
            this.asked = asked;
            this.web = web;
        }

        @Override
        public void run() throws InterruptedException {
            URI uri = URI.create(asked.other().path());
            Adler32[] sum = new Adler32[1];
            WebClient.Content content = new WebClient.Content(stamp.size(), () -> BodyPublishers.ofInputStream(() -> {
                sum[0] = new Adler32();
                sent.set(0);
                return new Octets(sum[0]);
            }));
            HttpResponse<Incoming> answer;
            try {
                answer = put(uri, content);
            } catch (AnepException e) {
                if (sent.get() > 0 || stopped != null || e.code() != ErrorCode.UNREACHABLE) {
                    throw e;
                }
                // A connection that was kept had been closed at the other end.
                answer = put(uri, content);
            }
            if (answer.statusCode() == 412) {
                answer.body().close();
                throw new AnepException(ErrorCode.CHANGED_MEANWHILE, "'" + uri + "' is there already");
            } else if (answer.statusCode() / 100 != 2) {
                throw WebClient.refused(uri, answer);
            }
            answer.body().close();
            compare(uri, Adler.text(sum[0] == null ? Adler.EMPTY : (int) sum[0].getValue()));
        }

        private HttpResponse<Incoming> put(URI uri, WebClient.Content content) throws InterruptedException {
            pending = web.begin("PUT", uri, asked.overwrite() ? Map.of() : Map.of("If-None-Match", "*"), content);
            return answer(uri);
        }

        private HttpResponse<Incoming> answer(URI uri) throws InterruptedException {
            long last = System.nanoTime();
            for (long before = 0; ; ) {
                try {
                    return pending.get(1, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    long now = System.nanoTime();
                    last = sent.get() > before ? now : last;
                    before = sent.get();
                    if (now - last > (before == stamp.size() ? LAST_STALL_NANOS : STALL_NANOS)) {
                        WebClient.drop(pending);
                        throw new AnepException(ErrorCode.COPY_STALLED, "'" + uri + "' has taken nothing for " + TimeUnit.NANOSECONDS.toSeconds(now - last) + " s", e);
                    }
                } catch (ExecutionException | CancellationException e) {
                    if (stopped != null) {
                        throw stopped;
                    }
                    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                        if (cause instanceof AnepException known) {
                            throw known;
                        }
                    }
                    return WebClient.await(pending, uri, Duration.ZERO);
                }
            }
        }

        private void compare(URI uri, String sum) throws InterruptedException {
            String there = web.checksum(new WebFile(uri, stamp, null, null, true), Digests.ADLER32);
            if (there == null && asked.checksumNeeded()) {
                throw new AnepException(ErrorCode.NO_CHECKSUM, "'" + uri + "' says no ADLER32 of the file that it has got");
            } else if (there != null && !there.equals(sum)) {
                throw new AnepException(ErrorCode.NOT_IDENTICAL, "'" + uri + "' has got a file of ADLER32 " + there + ", and " + sum + " was sent");
            }
        }

        @Override
        public long moved() {
            return sent.get();
        }

        @Override
        public void stop(AnepException why) {
            stopped = why;
            CompletableFuture<HttpResponse<Incoming>> begun = pending;
            if (begun != null) {
                WebClient.drop(begun);
            }
        }

        /** The file, as long as it is what it was. */
        private final class Octets extends InputStream {
            private final Adler32 sum;
            private final ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(READ, stamp.size())).limit(0);
            private long at;

            Octets(Adler32 sum) {
                this.sum = sum;
            }

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                if (stopped != null) {
                    throw new IOException(stopped);
                }
                if (!buffer.hasRemaining() && at == stamp.size()) {
                    return -1;
                }
                if (!buffer.hasRemaining()) {
                    next();
                }
                int count = Math.min(length, buffer.remaining());
                buffer.get(into, offset, count);
                sum.update(into, offset, count);
                sent.addAndGet(count);
                return count;
            }

            private void next() throws IOException {
                buffer.clear().limit((int) Math.min(READ, stamp.size() - at));
                try (FileChannel channel = FileChannel.open(source.file(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                    while (buffer.hasRemaining() && channel.read(buffer, at + buffer.position()) >= 0) {
                        // Until it is full, or the file ends.
                    }
                }
                if (buffer.hasRemaining() || !FileStamp.of(source.file()).sameContent(stamp)) {
                    throw new IOException(new AnepException(ErrorCode.SOURCE_CHANGED, "'/" + source.path() + "' has changed since the copy began"));
                }
                at += buffer.flip().remaining();
            }
        }
    }
}
