package org.tamanoir.node.identity;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What a sender of datagrams must return to show that it is where it says: a keyed hash of its address, its port and its stream, so that nothing is
 * remembered. The key lives as long as the process. Not for several threads at once.
 */
public final class Cookies {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_OCTETS = 32;
    /** One key a process: a cookie that one event loop made is good on another. */
    private static final SecretKeySpec KEY = new SecretKeySpec(new SecureRandom().generateSeed(KEY_OCTETS), ALGORITHM);
    private static final int IPV6_OCTETS = 16;

    private final Mac mac;

    public Cookies() {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(KEY);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The cookie of a sender's stream; never 0. */
    public long of(InetSocketAddress sender, long streamId) {
        byte[] address = sender.getAddress().getAddress();
        ByteBuffer what = ByteBuffer.allocate(1 + IPV6_OCTETS + 2 + Long.BYTES);
        what.put((byte) address.length).put(address).putShort((short) sender.getPort()).putLong(streamId);
        long cookie = ByteBuffer.wrap(mac.doFinal(what.array())).getLong();
        return cookie == 0 ? 1 : cookie;
    }
}
