package org.tamanoir.transfer.front;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.zip.Adler32;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.transfer.Adler;
import org.tamanoir.transfer.web.Digests;

/** Checksums of files: found by reading, and remembered as long as a file is what it was. */
final class Checksums {
    private static final int REMEMBERED = 4096;
    private static final int READ = 1 << 20;
    /** Files that are read, or waited for, at a time. */
    private static final int READERS = 16;

    /** @param tag of the file: another content has another one */
    private record Key(String path, String tag, String algorithm) {
    }

    private final Map<Key, FutureTask<String>> known = BoundedMap.byUse(REMEMBERED);
    private final Semaphore readers = new Semaphore(READERS);

    /** In hexadecimal. @throws AnepException EE-410 if too many are asked for at a time, EE-409 if the file cannot be read, EE-752 if it changes meanwhile */
    String of(Resource resource, String algorithm) throws InterruptedException {
        Key key = new Key(resource.path(), resource.tag(), algorithm);
        FutureTask<String> task;
        synchronized (known) {
            task = known.computeIfAbsent(key, made -> new FutureTask<>(() -> read(resource, algorithm)));
        }
        if (!task.isDone() && !readers.tryAcquire()) {
            throw new AnepException(ErrorCode.BUSY, "too many checksums are being computed; try again");
        } else if (!task.isDone()) {
            try {
                // Whoever is first reads; the others wait for what it finds.
                task.run();
                return result(key, task);
            } finally {
                readers.release();
            }
        }
        return result(key, task);
    }

    private String result(Key key, FutureTask<String> task) throws InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException | CancellationException e) {
            synchronized (known) {
                known.remove(key, task);
            }
            throw e.getCause() instanceof AnepException failure ? failure : new AnepException(ErrorCode.INTERNAL, String.valueOf(e.getCause()), e);
        }
    }

    /** Remembers what was found while the file came. */
    void put(Resource resource, String algorithm, String hex) {
        FutureTask<String> task = new FutureTask<>(() -> hex);
        task.run();
        synchronized (known) {
            known.put(new Key(resource.path(), resource.tag(), algorithm), task);
        }
    }

    private static String read(Resource resource, String algorithm) {
        Adler32 adler = algorithm.equals(Digests.ADLER32) ? new Adler32() : null;
        MessageDigest sha256 = adler == null ? FileDigest.sha256() : null;
        ByteBuffer buffer = ByteBuffer.allocate(READ);
        try (FileChannel channel = FileChannel.open(resource.file(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            while (channel.read(buffer.clear()) >= 0) {
                if (adler != null) {
                    adler.update(buffer.flip());
                } else {
                    sha256.update(buffer.flip());
                }
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "'/" + resource.path() + "' cannot be read: " + AnepException.reason(e), e);
        }
        if (!resource.isSame(new Resource(resource.path(), resource.file(), Resource.attributes(resource.file())))) {
            throw new AnepException(ErrorCode.SOURCE_CHANGED, "'/" + resource.path() + "' has changed while it was read");
        }
        return adler != null ? Adler.text((int) adler.getValue()) : HexFormat.of().formatHex(sha256.digest());
    }
}
