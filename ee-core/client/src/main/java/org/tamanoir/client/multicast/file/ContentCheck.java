package org.tamanoir.client.multicast.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileDigest;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.wire.SessionKey;

/**
 * Compares everything that came with what was sent, and puts the files into their place if it is the same. It follows the packets as far as
 * they are there without a gap, so that little is left to do when the last one has come.
 */
final class ContentCheck implements AutoCloseable {
    /** Octets of content that are written at a time. */
    private static final int GATHERED = 1 << 18;

    private final FileStore.Options options;
    private final PartFolder folder;
    private final PacketFile packets;
    private final Unpacking unpacking;
    private final MessageDigest sha256;
    private final ByteBuffer gathered = ByteBuffer.allocateDirect(GATHERED);
    /** Octets before the files that were not read yet. */
    private long head;
    private long next;
    private boolean closed;

    /**
     * A check that has read nothing yet.
     *
     * @param manifest of the session
     * @param head     octets of the content before the files
     */
    ContentCheck(FileStore.Options options, PartFolder folder, PacketFile packets, Manifest manifest, int head) throws IOException {
        this.options = options;
        this.folder = folder;
        this.packets = packets;
        this.head = head;
        this.unpacking = new Unpacking(options.output(), folder.path().resolve("files"), manifest, options.overwrite());
        this.sha256 = FileDigest.sha256();
    }

    /**
     * Reads on.
     *
     * @param to the packet before which all are there
     * @throws AnepException EE-108 if the content is longer than the manifest says
     */
    synchronized void advance(long to) throws IOException {
        if (closed || to <= next) {
            return;
        }
        packets.range(next, to, (index, body) -> {
            ByteBuffer content = body.position(Math.min(body.limit(), SessionKey.TAG_LENGTH));
            sha256.update(content.duplicate());
            int before = (int) Math.min(head, content.remaining());
            head -= before;
            content.position(content.position() + before);
            if (content.remaining() > gathered.remaining()) {
                unpack();
            }
            gathered.put(content);
        });
        unpack();
        next = to;
    }

    private void unpack() throws IOException {
        unpacking.write(gathered.flip());
        gathered.clear();
    }

    /**
     * All packets are there: reads the rest and ends.
     *
     * @param digest SHA-256 of what was sent
     * @return the files in their places
     * @throws AnepException EE-505 if it is not the same, EE-108 if it is no content of files, EE-409 if the files cannot be kept
     */
    synchronized List<Path> run(byte[] digest) throws IOException {
        advance(packets.count());
        if (!MessageDigest.isEqual(sha256.digest(), digest)) {
            close();
            throw differs();
        }
        unpacking.finish();
        List<Path> places = unpacking.place();
        close();
        folder.delete();
        return places;
    }

    /** Whether the disk is to blame, whose packets the next run gets again, or what was sent, of which nothing can be used. */
    private AnepException differs() throws IOException {
        PartFolder.Description session = folder.description();
        PacketSet whole = packets.verified(SessionKey.of(options.secret(), session.session(), session.salt()), session.session(),
                session.first());
        if (!whole.isComplete()) {
            folder.forgetDigest();
            return new AnepException(ErrorCode.NOT_IDENTICAL, (whole.size() - whole.count()) + " packets in '" + folder.path()
                    + "' are not what was received: the disk has changed them; start the receiver again, it gets them again");
        }
        folder.delete();
        return new AnepException(ErrorCode.NOT_IDENTICAL, "what was sent is not what the source says that it sent: its files were changed"
                + " meanwhile, or another sent in its name; nothing was kept");
    }

    /** Removes what was unpacked and is not in its place: the packets are there. */
    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            unpacking.close();
        }
    }
}
