package org.tamanoir.client.multicast.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.client.multicast.file.FileStore.Finds;
import org.tamanoir.client.multicast.file.FileStore.Found;
import org.tamanoir.dyram.wire.SessionKey;

/**
 * Looks in a receiver's directory for what a session is going to send: files that are in their place already, and what came of them in
 * earlier sessions. Makes packets of it, with the tags of this session. On a thread of its own, as it may read all of a disk.
 */
final class PacketFinder implements Runnable {
    /** Octets that are handed over together. */
    private static final int BATCH = 1 << 17;

    private final FileStore.Options options;
    private final PartFolder.Description session;
    private final Manifest manifest;
    private final byte[] head;
    private final Finds finds;
    private final SessionKey key;
    private final ContentLayout layout;
    private final Map<Integer, KnownOctets> known = new HashMap<>();
    private final Set<Integer> unknown = new HashSet<>();
    private final List<EarlierPart> parts = new ArrayList<>();
    private final List<Found> batch = new ArrayList<>();
    private int batched;
    private volatile List<Path> used = List.of();
    private volatile List<Path> obsolete = List.of();
    private volatile boolean stopped;

    /** @param head length and list of the files, as they came */
    PacketFinder(FileStore.Options options, PartFolder.Description session, Manifest manifest, byte[] head, Finds finds) {
        this.options = options;
        this.session = session;
        this.manifest = manifest;
        this.head = head;
        this.finds = finds;
        this.key = SessionKey.of(options.secret(), session.session(), session.salt());
        this.layout = new ContentLayout(head.length, manifest.files().stream().map(Manifest.Entry::size).toList());
    }

    @Override
    public void run() {
        try {
            for (PartFolder.Description other : PartFolder.others(options.output(), options.name(), session.session())) {
                EarlierPart part = EarlierPart.open(options.output(), other, options.secret());
                if (part != null) {
                    parts.add(part);
                }
            }
            if (!parts.isEmpty() || manifest.files().stream().anyMatch(file -> PlacedFile.find(options.output(), file) != null)) {
                finds.looking(session.session(), true);
                find();
                handOver();
            }
        } catch (IOException | RuntimeException e) {
            // What was found until now is good; the rest is sent.
        } finally {
            close();
            finds.looking(session.session(), false);
        }
    }

    private void find() throws IOException {
        int size = session.size();
        long next = (head.length + size - 1) / size;
        for (int file = 0; file < manifest.files().size() && !stopped; file++) {
            long end = layout.end(file);
            if (end > next * size && end > layout.begin(file) && known(file) != null) {
                for (next = Math.max(next, layout.begin(file) / size); next * size < end && !stopped; next++) {
                    make(next);
                }
            }
            forget(file);
        }
    }

    /** A packet, if all of it is known. */
    private void make(long index) throws IOException {
        long from = index * session.size();
        ByteBuffer content = ByteBuffer.allocate((int) Math.min(session.size(), layout.octets() - from));
        if (!layout.fill(content, from, head, this::read)) {
            return;
        }
        ByteBuf body = Unpooled.buffer(SessionKey.TAG_LENGTH + content.capacity());
        key.data(session.session(), session.first() + index, Unpooled.wrappedBuffer(content.flip()), body);
        batch.add(new Found(index, body));
        batched += content.capacity();
        if (batched >= BATCH) {
            handOver();
        }
    }

    private void handOver() {
        if (!batch.isEmpty()) {
            stopped |= !finds.found(session.session(), List.copyOf(batch));
            batch.clear();
            batched = 0;
        }
    }

    private boolean read(int file, long at, ByteBuffer into) throws IOException {
        KnownOctets octets = known(file);
        return octets != null && octets.read(at, into);
    }

    /** What is here of a file; null if nothing is. */
    private KnownOctets known(int file) {
        KnownOctets octets = known.get(file);
        if (octets == null && !unknown.contains(file)) {
            Manifest.Entry entry = manifest.files().get(file);
            octets = PlacedFile.open(options.output(), entry, () -> stopped);
            if (octets == null) {
                octets = fromPart(entry);
            }
            if (octets == null) {
                unknown.add(file);
            } else {
                known.put(file, octets);
            }
        }
        return octets;
    }

    private KnownOctets fromPart(Manifest.Entry entry) {
        for (EarlierPart part : parts) {
            KnownOctets octets = entry.sha256() == null ? null : part.file(entry);
            if (octets != null) {
                Set<Path> all = new HashSet<>(used);
                all.add(part.path());
                used = List.copyOf(all);
                return octets;
            }
        }
        return null;
    }

    private void forget(int file) throws IOException {
        KnownOctets octets = known.remove(file);
        if (octets != null) {
            octets.close();
        }
    }

    private void close() {
        obsolete = parts.stream().filter(part -> part.isWithin(manifest)).map(EarlierPart::path).toList();
        List<AutoCloseable> all = new ArrayList<>(known.values());
        all.addAll(parts);
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                // It was only read.
            }
        }
    }

    /** Nobody wants to know any more. From any thread. */
    void stop() {
        stopped = true;
    }

    /** Folders of earlier sessions from which something was taken. */
    List<Path> used() {
        return used;
    }

    /** Folders of earlier sessions that have nothing that this one has not. */
    List<Path> obsolete() {
        return obsolete;
    }
}
