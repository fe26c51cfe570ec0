package org.tamanoir.dyram.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of one session, made from a secret that source and receivers share: HMAC-SHA-256 (RFC 2104) truncated to 16 octets. Nodes have
 * none. A session without a secret has a key that everybody can make: it finds damage, not forgery. Not for use by several threads.
 */
public final class SessionKey {
    public static final int TAG_LENGTH = 16;
    /** What a message carries before it is signed. */
    public static final byte[] NO_TAG = new byte[TAG_LENGTH];

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] PURPOSE = "tamanoir dyram session".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA_PREFIX = 1 + 2 * Long.BYTES;

    private final Mac mac;
    private final ByteBuffer prefix = ByteBuffer.allocate(DATA_PREFIX);
    private final byte[] output = new byte[32];

    private SessionKey(Mac mac) {
        this.mac = mac;
    }

    /**
     * The key of a session.
     *
     * @param secret what source and receivers share; may be empty
     * @param salt   {@link SessionTerms#salt}
     */
    public static SessionKey of(byte[] secret, long session, long salt) {
        byte[] parent = secret.length == 0 ? new byte[1] : secret;
        Mac extract = mac(parent);
        extract.update(PURPOSE);
        extract.update(ByteBuffer.allocate(2 * Long.BYTES).putLong(session).putLong(salt).flip());
        return new SessionKey(mac(extract.doFinal()));
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is part of every Java", e);
        }
    }

    /** The message with its tag. */
    @SuppressWarnings("unchecked")
    public <T extends Message.Tagged> T sign(T message) {
        return (T) message.tagged(tag(message));
    }

    /** Whether the tag of a message is of this key. */
    public boolean verify(Message.Tagged message) {
        return MessageDigest.isEqual(tag(message), message.tag());
    }

    private byte[] tag(Message.Tagged message) {
        ByteBuf octets = Unpooled.buffer();
        Codec.writeTagged(message, octets);
        mac.update(octets.nioBuffer());
        return truncated();
    }

    private byte[] truncated() {
        return Arrays.copyOf(mac.doFinal(), TAG_LENGTH);
    }

    /** Writes tag and content of a packet. */
    public void data(long session, long sequence, ByteBuf content, ByteBuf out) {
        mac(session, sequence, content);
        out.writeBytes(output, 0, TAG_LENGTH);
        out.writeBytes(content, content.readerIndex(), content.readableBytes());
    }

    /** Whether a packet's content is what the source sent. */
    public boolean verify(Message.Data data) {
        if (data.body().readableBytes() < TAG_LENGTH) {
            return false;
        }
        mac(data.session(), data.sequence(), data.content());
        int difference = 0;
        int at = data.body().readerIndex();
        for (int i = 0; i < TAG_LENGTH; i++) {
            difference |= output[i] ^ data.body().getByte(at + i);
        }
        return difference == 0;
    }

    private void mac(long session, long sequence, ByteBuf content) {
        prefix.clear();
        prefix.put((byte) Kind.DATA.number()).putLong(session).putLong(sequence).flip();
        mac.update(prefix);
        mac.update(content.nioBuffer());
        try {
            mac.doFinal(output, 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the buffer has room for the whole of it", e);
        }
    }
}
