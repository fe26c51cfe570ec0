package org.tamanoir.client.multicast.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.dyram.source.Content;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * Files as packets. Nothing is held but the manifest and some open files; the digest is made of the packets as they are read for the first
 * time. A file that changes ends it: what was sent and what would be repaired do not belong together.
 */
public final class FileContent implements Content, AutoCloseable {
    /** Files open at a time; repairs come from the part of the content that was sent last, mostly. */
    private static final int MOST_OPEN = 32;
    /** How often a file that is read is looked at for changes. */
    private static final long LOOK_NANOS = 50_000_000;
    /** Octets of a digest in the list of files, with its name. */
    private static final int MOST_OF_DIGEST = 80;

    private final List<OutgoingFile> files;
    /** Without the files' digests until {@link #digestFiles} is done; its octets are as many then. */
    private volatile Manifest manifest;
    private volatile byte[] head;
    private volatile boolean ready;
    private volatile AnepException failure;
    private volatile boolean closed;
    private final boolean tellsDigests;
    private final ContentLayout layout;
    private final int packetSize;
    private final MessageDigest sha256 = FileDigest.sha256();
    private final Map<Integer, Opened> open = new LinkedHashMap<>(16, 0.75f, true);
    private long digested;
    private byte[] digest;

    private static final class Opened {
        private final FileChannel channel;
        private long lookedNanos;

        Opened(FileChannel channel) {
            this.channel = channel;
        }
    }

    private FileContent(List<OutgoingFile> files, int packetSize) {
        this.files = files;
        this.packetSize = packetSize;
        List<String> none = Collections.nCopies(files.size(), null);
        byte[] plain = manifest(files, none).encode();
        // A list that has no room for digests goes without them: then nobody finds what it has already, and gets everything.
        this.tellsDigests = plain.length + files.size() * MOST_OF_DIGEST <= Manifest.MOST_OCTETS;
        this.manifest = manifest(files, tellsDigests ? Collections.nCopies(files.size(), FileDigest.UNKNOWN) : none);
        this.head = tellsDigests ? manifest.encode() : plain;
        this.ready = !tellsDigests;
        this.layout = new ContentLayout(head.length, files.stream().map(OutgoingFile::size).toList());
        if (packets() > SessionTerms.MOST_PACKETS) {
            throw new AnepException(ErrorCode.BAD_REQUEST, packets() + " packets are more than a session can have; make them larger");
        }
    }

    private static Manifest manifest(List<OutgoingFile> files, List<String> digests) {
        try {
            return new Manifest(IntStream.range(0, files.size()).mapToObj(i -> files.get(i).entry(digests.get(i))).toList());
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "these files cannot be sent together: " + e.text(), e);
        }
    }

    /**
     * The content of some files and of the files in some directories. To be made ready by {@link #digestFiles}.
     *
     * @param packetSize octets in a packet, 1 to {@link SessionTerms#MOST_PACKET}
     * @throws AnepException EE-407 for what is not there, EE-408 for what cannot be sent, EE-409 for what cannot be read
     */
    public static FileContent of(List<Path> paths, int packetSize) {
        return new FileContent(OutgoingFile.of(paths), packetSize);
    }

    /** Reads every file for its SHA-256, which receivers get before its content. Packets can be read when that is done. On any thread, once. */
    public void digestFiles() {
        if (ready) {
            return;
        }
        List<String> digests = new ArrayList<>();
        for (OutgoingFile file : files) {
            try {
                digests.add(file.sha256(() -> closed));
            } catch (IOException e) {
                failure = unreadable(file, e);
            } catch (AnepException e) {
                failure = e;
            }
            if (failure != null || closed) {
                return;
            }
        }
        manifest = manifest(files, digests);
        head = manifest.encode();
        ready = true;
    }

    @Override
    public boolean isReady() {
        if (failure != null) {
            throw failure;
        }
        return ready;
    }

    /** Whether every file was read for its SHA-256, or cannot be. */
    public boolean isDigested() {
        return ready || failure != null;
    }

    @Override
    public long head() {
        return tellsDigests ? (head.length + packetSize - 1L) / packetSize : 0;
    }

    /** What receivers get. */
    public Manifest manifest() {
        return manifest;
    }

    /** Octets of manifest and files. */
    public long octets() {
        return layout.octets();
    }

    @Override
    public long packets() {
        return (octets() + packetSize - 1) / packetSize;
    }

    @Override
    public ByteBuf read(long index) {
        if (index < 0 || index >= packets()) {
            throw new IndexOutOfBoundsException("packet " + index + " of " + packets());
        }
        long at = index * packetSize;
        int length = (int) Math.min(packetSize, octets() - at);
        ByteBuf packet = allocator().directBuffer(length, length);
        try {
            layout.fill(packet.internalNioBuffer(0, length), at, head, this::read);
            packet.writerIndex(length);
            if (index == digested) {
                sha256.update(packet.nioBuffer());
                digested++;
            }
            return packet;
        } catch (RuntimeException e) {
            packet.release();
            throw e;
        }
    }

    private static ByteBufAllocator allocator() {
        return PooledByteBufAllocator.DEFAULT;
    }

    private boolean read(int number, long from, ByteBuffer into) {
        OutgoingFile file = files.get(number);
        try {
            Opened opened = opened(number);
            for (long at = from; into.hasRemaining(); ) {
                int read = opened.channel.read(into, at);
                if (read < 0) {
                    throw file.changed();
                }
                at += read;
            }
            long now = System.nanoTime();
            if (now - opened.lookedNanos > LOOK_NANOS) {
                opened.lookedNanos = now;
                file.checkUnchanged();
            }
            return true;
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static AnepException unreadable(OutgoingFile file, IOException e) {
        return new AnepException(ErrorCode.STORAGE, "reading '" + file.path() + "': " + AnepException.reason(e), e);
    }

    private Opened opened(int number) throws IOException {
        Opened opened = open.get(number);
        if (opened == null) {
            if (open.size() == MOST_OPEN) {
                Integer eldest = open.keySet().iterator().next();
                open.remove(eldest).channel.close();
            }
            opened = new Opened(FileChannel.open(files.get(number).path(), StandardOpenOption.READ));
            opened.lookedNanos = System.nanoTime() - 2 * LOOK_NANOS;
            open.put(number, opened);
        }
        return opened;
    }

    @Override
    public byte[] digest() {
        if (digest == null) {
            if (digested < packets()) {
                throw new IllegalStateException(digested + " of " + packets() + " packets were read in order");
            }
            for (OutgoingFile file : files) {
                try {
                    file.checkUnchanged();
                } catch (IOException e) {
                    throw unreadable(file, e);
                }
            }
            digest = sha256.digest();
        }
        return digest.clone();
    }

    @Override
    public void close() {
        closed = true;
        for (Opened opened : open.values()) {
            try {
                opened.channel.close();
            } catch (IOException e) {
                // It was only read.
            }
        }
        open.clear();
    }
}
