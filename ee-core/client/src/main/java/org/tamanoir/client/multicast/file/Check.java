package org.tamanoir.client.multicast.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.receiver.PacketSet;
import org.tamanoir.dyram.wire.SessionKey;

/** Compares everything that came with what was sent, and puts the files into their place if it is the same. */
final class Check {
    private final FileStore.Options options;
    private final PartFolder folder;
    private final PacketFile packets;
    private final Manifest manifest;
    private long head;

    /**
     * A check.
     *
     * @param manifest of the session; null if it could not be found
     * @param head     octets of the content before the files
     */
    Check(FileStore.Options options, PartFolder folder, PacketFile packets, Manifest manifest, int head) {
        this.options = options;
        this.folder = folder;
        this.packets = packets;
        this.manifest = manifest;
        this.head = head;
    }

    /**
     * Reads all packets once.
     *
     * @param digest SHA-256 of what was sent
     * @return the files in their places
     * @throws AnepException EE-505 if it is not the same, EE-108 if it is no content of files, EE-409 if the files cannot be kept
     */
    List<Path> run(byte[] digest) throws IOException {
        if (manifest == null) {
            throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "the session's list of files cannot be used: it is cut short");
        }
        List<Path> places;
        try (Unpacking unpacking = new Unpacking(options.output(), folder.path().resolve("files"), manifest, options.overwrite())) {
            MessageDigest sha256 = sha256();
            packets.all((index, body) -> {
                ByteBuffer content = body.position(Math.min(body.limit(), SessionKey.TAG_LENGTH));
                sha256.update(content.duplicate());
                int before = (int) Math.min(head, content.remaining());
                head -= before;
                unpacking.write(content.position(content.position() + before));
            });
            if (!MessageDigest.isEqual(sha256.digest(), digest)) {
                throw differs();
            }
            unpacking.finish();
            places = unpacking.place();
        }
        folder.delete();
        return places;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Whether the disk is to blame, whose packets the next run gets again, or what was sent, of which nothing can be used. */
    private AnepException differs() throws IOException {
        PartFolder.Description session = folder.description();
        PacketSet whole = packets.verified(SessionKey.of(options.secret(), session.session(), session.salt()), session.session(),
                session.first());
        if (!whole.isComplete()) {
            return new AnepException(ErrorCode.NOT_IDENTICAL, (whole.size() - whole.count()) + " packets in '" + folder.path()
                    + "' are not what was received: the disk has changed them; start the receiver again, it gets them again");
        }
        folder.delete();
        return new AnepException(ErrorCode.NOT_IDENTICAL, "what was sent is not what the source says that it sent: its files were changed"
                + " meanwhile, or another sent in its name; nothing was kept");
    }
}
