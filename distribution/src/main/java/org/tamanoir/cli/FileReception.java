package org.tamanoir.cli;

import io.netty.buffer.ByteBuf;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.disk.Durable;
import org.tamanoir.client.IncomingStream;

/**
 * One stream into one file: under a temporary name, {@code FILE.part}, until the stream has ended cleanly. Only then is the source
 * told that everything is here. What is there and is no regular file, a device or a named pipe, is written to and never replaced.
 */
final class FileReception implements Callable<FileReception.Result> {
    /** What is new is synced as often. */
    private static final long SYNC_MILLIS = 200;

    /** What became of a stream. {@code error} is null if it ended cleanly. */
    record Result(String file, long octets, String sha256, double seconds, String error) {
    }

    private final IncomingStream stream;
    private final Path file;
    private final Path part;
    private final MessageDigest digest;
    private final boolean syncs;
    /** Written so far. */
    private volatile long octets;
    private long synced;
    private volatile IOException unsynced;

    /**
     * @param file  where to; null for standard output
     * @param syncs whether the source may forget what is synced, and not before
     */
    FileReception(IncomingStream stream, Path file, boolean syncs) {
        this.stream = stream;
        this.syncs = syncs;
        this.file = file;
        this.part = file == null || isSpecial(file) ? file : Durable.part(file);
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static boolean isSpecial(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file);
    }

    @Override
    public Result call() throws InterruptedException {
        long start = System.nanoTime();
        String error = null;
        try (stream) {
            error = receive();
        } catch (AnepException e) {
            error = e.getMessage();
        }
        if (error != null && part != file && Files.exists(part)) {
            error += "; what came is kept as " + part;
        }
        return new Result(name(file), octets, HexFormat.of().formatHex(digest.digest()), (System.nanoTime() - start) / 1e9, error);
    }

    /** What went wrong on this side, which the source is told; null if nothing did. */
    private String receive() throws InterruptedException {
        try {
            write();
            if (stream.missing() + stream.disordered() > 0) {
                return refuse(ErrorCode.NOT_IDENTICAL, stream.missing() + " datagrams are missing and " + stream.disordered()
                        + " came out of order or twice");
            }
            if (part != file) {
                Durable.rename(part, file);
            }
            // Only now may the source forget it: content and name outlast the power.
            stream.finish();
            return null;
        } catch (IOException e) {
            return refuse(ErrorCode.STORAGE, "writing " + name(file) + ": " + reason(e));
        }
    }

    private String refuse(ErrorCode code, String text) {
        stream.refuse(code, text);
        return code + " " + text;
    }

    private void write() throws IOException, InterruptedException {
        ScheduledExecutorService syncing = Executors.newSingleThreadScheduledExecutor();
        try (FileChannel out = file == null ? new FileOutputStream(FileDescriptor.out).getChannel()
                : FileChannel.open(part, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            if (syncs && part != file) {
                // By a thread of its own: a source with a full ring sends nothing until it hears of it.
                syncing.scheduleWithFixedDelay(() -> sync(out), SYNC_MILLIS, SYNC_MILLIS, TimeUnit.MILLISECONDS);
            }
            for (ByteBuf payload = stream.receive(); payload != null; payload = stream.receive()) {
                try {
                    ByteBuffer data = payload.nioBuffer();
                    digest.update(data.duplicate());
                    int length = data.remaining();
                    while (data.hasRemaining()) {
                        out.write(data);
                    }
                    octets += length;
                } finally {
                    payload.release();
                }
            }
            if (part != file) {
                out.force(true);
            }
            stream.kept(octets);
            if (unsynced != null) {
                throw unsynced;
            }
        } finally {
            syncing.shutdownNow();
        }
    }

    private void sync(FileChannel out) {
        long written = octets;
        try {
            if (written > synced) {
                out.force(false);
                synced = written;
                stream.kept(written);
            }
        } catch (ClosedChannelException e) {
            // The stream has ended meanwhile, and was synced then.
        } catch (IOException e) {
            unsynced = e;
        }
    }

    /** The message of an error of a file is its name alone: there the kind of error has to be said too. */
    private static String reason(IOException e) {
        return e instanceof FileSystemException || e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private static String name(Path path) {
        return path == null ? "-" : path.toString();
    }
}
