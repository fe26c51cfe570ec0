package org.tamanoir.transfer.copy;

import java.net.URI;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.web.Digests;
import org.tamanoir.transfer.web.Incoming;
import org.tamanoir.transfer.web.WebClient;
import org.tamanoir.transfer.web.WebFile;

/** Files of web servers, as a source: a path is the URL of a file. */
final class WebEnd implements End {
    private static final int READ = 256 << 10;
    private static final int TRIES = 3;
    private static final long PAUSE_MILLIS = 1_000;

    private final WebClient client;
    private final boolean checksumNeeded;
    private final Map<String, WebFile> found = new ConcurrentHashMap<>();
    private final Store store = new Files();

    /** @param checksumNeeded whether a file is not copied whose server says no checksum of it */
    WebEnd(WebClient client, boolean checksumNeeded) {
        this.client = client;
        this.checksumNeeded = checksumNeeded;
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Port port(int number, LongConsumer moved) {
        return new WebPort(this, moved);
    }

    /** A server that sends files from their beginning alone is asked for one at a time. */
    @Override
    public int mostStreams() {
        return found.values().stream().allMatch(WebFile::ranges) ? CopyOptions.MOST_STREAMS : 1;
    }

    WebClient client() {
        return client;
    }

    /** What was found of a file. */
    WebFile file(String path) {
        return found.get(path);
    }

    /** ADLER32 as the server knows it. @return null if it does not, and need not */
    @Override
    public String checksum(FileJob file) {
        String sum = again(() -> client.checksum(file(file.from), Digests.ADLER32));
        if (sum == null && checksumNeeded) {
            throw new AnepException(ErrorCode.NO_CHECKSUM, "the server of '" + file.from + "' says no ADLER32 of it");
        }
        return sum;
    }

    /** One request, or several. */
    private interface Question<T> {
        T ask() throws InterruptedException;
    }

    /** Asks once more if there was no answer: much has been copied by now. */
    private static <T> T again(Question<T> question) {
        for (int tries = 1; ; tries++) {
            try {
                try {
                    return question.ask();
                } catch (AnepException e) {
                    if (tries == TRIES || e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.CONNECTION_LOST) {
                        throw e;
                    }
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Refusal(new AnepException(ErrorCode.STOPPING, "the copy has been interrupted", e));
            }
        }
    }

    @Override
    public void close() {
        // Its connections are the client's.
    }

    private final class Files implements Store {
        @Override
        public List<Entry> look(String path, boolean deep) {
            try {
                WebFile file = again(() -> client.find(URI.create(path)));
                found.put(path, file);
                return List.of(new Entry(path, Entry.Type.FILE, file.stamp()));
            } catch (AnepException e) {
                if (e.code() == ErrorCode.NOT_FOUND) {
                    return List.of();
                }
                throw e;
            }
        }

        /** By the word of the server, or else by all its octets. */
        @Override
        public String digest(String path, FileStamp stamp) {
            String said = again(() -> client.checksum(file(path), Digests.SHA256));
            return said != null ? said : again(() -> read(file(path)));
        }

        private String read(WebFile file) throws InterruptedException {
            MessageDigest digest = FileDigest.sha256();
            if (file.stamp().size() > 0) {
                var answer = client.send("GET", file.uri(), file.unchanged(), null);
                try (Incoming body = answer.body()) {
                    if (answer.statusCode() != 200) {
                        throw WebClient.refused(file.uri(), answer);
                    }
                    ByteBuffer buffer = ByteBuffer.allocate(READ);
                    while (body.take(buffer.clear(), WebPort.STALL_NANOS) > 0) {
                        digest.update(buffer.flip());
                    }
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        }

        @Override
        public Begun begin(String path, FileStamp stamp, int piece) {
            throw noDestination();
        }

        @Override
        public Committed commit(String path, FileStamp stamp, String sum) {
            throw noDestination();
        }

        @Override
        public void directory(String path, FileStamp stamp, boolean last) {
            throw noDestination();
        }

        private AnepException noDestination() {
            return new AnepException(ErrorCode.BAD_REQUEST, "a web server is a source, and no destination, of a copy");
        }
    }
}
