package org.tamanoir.client.multicast.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/** A session as its source sends it: files, key, and packets with their tags. */
final class Sent implements AutoCloseable {
    static final byte[] SECRET = {1, 2, 3};
    static final int PACKET = 100;

    final long session;
    final FileContent content;
    final SessionTerms terms;
    final byte[] digest;
    private final SessionKey key;

    Sent(long session, Path... files) {
        this(session, PACKET, files);
    }

    Sent(long session, int packetSize, Path... files) {
        this(session, packetSize, FileContent.of(List.of(files), packetSize));
    }

    private Sent(long session, int packetSize, FileContent content) {
        content.digestFiles();
        this.session = session;
        this.content = content;
        this.terms = new SessionTerms(new InetSocketAddress("239.1.2.3", 5405), -5, content.packets(), packetSize, 1_000_000, false, 77);
        this.key = SessionKey.of(SECRET, session, terms.salt());
        for (long i = 0; i < content.packets(); i++) {
            content.read(i).release();
        }
        this.digest = content.digest();
    }

    /** Tag and content of a packet. */
    ByteBuf body(long index) {
        ByteBuf plain = content.read(index);
        ByteBuf body = Unpooled.buffer();
        key.data(session, terms.sequence(index), plain, body);
        plain.release();
        return body;
    }

    int packets() {
        return (int) content.packets();
    }

    @Override
    public void close() {
        content.close();
    }
}
