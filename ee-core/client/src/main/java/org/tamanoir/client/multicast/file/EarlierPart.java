package org.tamanoir.client.multicast.file;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.SessionKey;

/** What came of an earlier session, whose source gave up or died: each packet is believed by its tag, as when it came. Only read. */
final class EarlierPart implements AutoCloseable {
    private final Path path;
    private final PartFolder.Description session;
    private final FileChannel channel;
    private final ReadAhead reader;
    private final SessionKey key;
    private final int stride;
    private final ByteBuffer packet;
    private long at = -1;
    private boolean whole;
    private Manifest manifest;
    /** Where each file begins in the content, by its SHA-256 and size. */
    private final Map<String, Long> begins = new HashMap<>();

    private EarlierPart(Path path, PartFolder.Description session, FileChannel channel, byte[] secret) {
        this.path = path;
        this.session = session;
        this.channel = channel;
        this.reader = new ReadAhead(channel, () -> { });
        this.key = SessionKey.of(secret, session.session(), session.salt());
        this.stride = SessionKey.TAG_LENGTH + session.size();
        this.packet = ByteBuffer.allocate(stride);
    }

    /** The part of a session; null if its list of files has not come, or it cannot be read. */
    static EarlierPart open(Path output, PartFolder.Description session, byte[] secret) {
        try {
            FileChannel channel = PartFolder.reading(output, session);
            EarlierPart part = new EarlierPart(PartFolder.path(output, session), session, channel, secret);
            if (part.readManifest()) {
                return part;
            }
            part.close();
        } catch (IOException | AnepException e) {
            // What cannot be used is sent.
        }
        return null;
    }

    private boolean readManifest() throws IOException {
        PacketSet first = new PacketSet(session.packets());
        long most = (Manifest.LENGTH_SIZE + (long) Manifest.MOST_OCTETS) / session.size();
        for (long index = 0; index < Math.min(session.packets(), most + 1) && load(index); index++) {
            first.add(index);
        }
        ManifestWatch watch = new ManifestWatch(new PacketFile(channel, session.packets(), session.size()), first);
        manifest = watch.look();
        if (manifest == null) {
            return false;
        }
        long next = watch.octets();
        for (Manifest.Entry entry : manifest.files()) {
            if (entry.sha256() != null) {
                begins.putIfAbsent(entry.sha256() + entry.size(), next);
            }
            next += entry.size();
        }
        return true;
    }

    /** The octets of a file that came; null if this session had no such file. */
    KnownOctets file(Manifest.Entry entry) {
        Long begin = begins.get(entry.sha256() + entry.size());
        if (begin == null) {
            return null;
        }
        return new KnownOctets() {
            @Override
            public boolean read(long from, ByteBuffer into) throws IOException {
                return readContent(begin + from, into);
            }

            @Override
            public void close() {
                // The part is closed as a whole.
            }
        };
    }

    private boolean readContent(long from, ByteBuffer into) throws IOException {
        for (long next = from; into.hasRemaining(); ) {
            if (!load(next / session.size())) {
                return false;
            }
            int offset = SessionKey.TAG_LENGTH + (int) (next % session.size());
            int length = Math.min(into.remaining(), packet.limit() - offset);
            if (length <= 0) {
                return false;
            }
            into.put(packet.slice(offset, length));
            next += length;
        }
        return true;
    }

    /** Reads a packet. @return whether it has come, and is what had come */
    private boolean load(long index) throws IOException {
        if (index != at) {
            at = index;
            packet.clear();
            // The last one may be shorter.
            boolean full = reader.read(index * stride, packet);
            packet.flip();
            whole = (full || index == session.packets() - 1) && packet.limit() > SessionKey.TAG_LENGTH
                    && (packet.getLong(0) | packet.getLong(Long.BYTES)) != 0
                    && key.verify(new Data(session.session(), session.first() + index, false, 0, 0, Unpooled.wrappedBuffer(packet), null));
        }
        return whole;
    }

    /** Whether all that it has is in another list of files too: nobody needs it when that has arrived. */
    boolean isWithin(Manifest other) {
        Set<String> others = new HashSet<>();
        other.files().forEach(file -> others.add(file.sha256() + file.size()));
        return manifest.files().stream().allMatch(file -> file.sha256() != null && others.contains(file.sha256() + file.size()));
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
