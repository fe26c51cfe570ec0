package org.tamanoir.oci;

import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.function.Function;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.RawHttp.Body;

/**
 * One blob, into a file or to be looked at only. What comes is hashed as it comes; after a cut the next attempt goes on with a range. The digest and the size are known before, and
 * nothing that the registry says changes them. For one use by one thread; a thread of the client writes meanwhile.
 */
final class Download {
    private static final int PARTIAL = 206;
    private static final int NOT_SATISFIABLE = 416;
    /** Attempts one after the other that bring nothing. */
    private static final int FRUITLESS = 3;
    /** Attempts that each bring something. */
    private static final int FRUITFUL = 50;

    private final Function<String, Call> calls;
    private final Location location;
    private final String digest;
    private final long size;
    private final Deadline deadline;
    /** Null if nobody wants the octets. */
    private FileChannel file;
    private volatile MessageDigest hash = Digest.begin();
    private volatile long have;

    /**
     * @param calls makes a call of a method, such as {@code GET}
     * @param size  in octets
     */
    Download(Function<String, Call> calls, Location location, String digest, long size, Deadline deadline) {
        this.calls = calls;
        this.location = location;
        this.digest = digest;
        this.size = size;
        this.deadline = deadline;
    }

    /** @param to null to look only; made or replaced, and of no use if this throws */
    void run(Path to) {
        if (to == null) {
            attempts();
            return;
        }
        try (FileChannel channel = FileChannel.open(to, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            file = channel;
            attempts();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot write " + to + ": " + AnepException.reason(e), e);
        }
    }

    private void attempts() {
        int fruitless = 0;
        for (int attempt = 1;; attempt++) {
            long before = have;
            try {
                attempt();
                check();
                return;
            } catch (AnepException e) {
                fruitless = have > before ? 0 : fruitless + 1;
                if (e.code() != ErrorCode.REGISTRY_AWAY || fruitless == FRUITLESS || attempt == FRUITFUL || !deadline.waited(e, fruitless)) {
                    throw e;
                }
            }
        }
    }

    private void attempt() {
        long from = have;
        Call call = calls.apply("GET");
        if (from == size && size > 0) {
            return;
        }
        if (from > 0) {
            call.header("Range", "bytes=" + from + "-");
        }
        call.into((status, headers) -> take(status, headers, from));
        Integer[] good = from > 0 ? new Integer[] {200, PARTIAL, NOT_SATISFIABLE} : new Integer[] {200};
        if (call.send(location.blob(digest), good).status() == NOT_SATISFIABLE) {
            startAgain();
            throw new AnepException(ErrorCode.REGISTRY_AWAY, "the registry " + location.host() + " does not go on with what it began to send");
        }
    }

    private Body take(int status, HttpHeaders headers, long from) {
        if (status == NOT_SATISFIABLE) {
            return Body.NONE;
        }
        if (status == 200) {
            startAgain();
        } else if (!headers.firstValue("Content-Range").orElse("").startsWith("bytes " + from + "-")) {
            throw wrong("it sends another part than was asked for");
        }
        String named = headers.firstValue("Docker-Content-Digest").orElse(digest);
        if (!named.equals(digest)) {
            throw wrong("it says itself that it sends " + named);
        }
        long length = headers.firstValueAsLong("Content-Length").orElse(size - have);
        if (length != size - have) {
            throw wrong("it has " + (length + have) + " octets in place of " + size);
        }
        return new Body(new Taking(), size - have);
    }

    private void startAgain() {
        have = 0;
        hash = Digest.begin();
        try {
            if (file != null) {
                file.truncate(0).position(0);
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "what comes from the registry cannot be written: " + AnepException.reason(e), e);
        }
    }

    private void check() {
        if (have != size) {
            throw wrong("it has " + have + " octets in place of " + size);
        }
        String is = Digest.end(hash);
        if (!is.equals(digest)) {
            throw wrong("its content is " + is);
        }
    }

    private AnepException wrong(String why) {
        return new AnepException(ErrorCode.REGISTRY_ANSWER, "what the registry " + location.host() + " has as " + digest + " of " + location.name() + " is something else: " + why);
    }

    /** Hashes and writes what comes. */
    private final class Taking extends OutputStream {
        @Override
        public void write(int octet) throws IOException {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] octets, int offset, int length) throws IOException {
            hash.update(octets, offset, length);
            if (file != null) {
                ByteBuffer left = ByteBuffer.wrap(octets, offset, length);
                while (left.hasRemaining()) {
                    file.write(left);
                }
            }
            have += length;
        }
    }
}
