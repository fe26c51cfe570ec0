package org.tamanoir.dyram.address;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Cookies that only the owner of an address can repeat: the first 64 bits of HMAC-SHA-256 by a random key over port, session and address.
 * Nothing is remembered of a cookie that was given away. The key changes every minute; a cookie is good under its own key and the next
 * one, so for one to two minutes. One process shares them among its event loops. For any thread.
 */
public final class AddressCookies {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_LENGTH = 32;
    private static final long SLOT = 60_000_000_000L;

    private final SecureRandom random = new SecureRandom();
    private Mac current = mac();
    private Mac before = mac();
    private boolean started;
    private long changes;

    private Mac mac() {
        byte[] key = new byte[KEY_LENGTH];
        random.nextBytes(key);
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is part of every Java", e);
        }
    }

    /**
     * The cookie of an address.
     *
     * @param now     nanoseconds of a clock that only goes forward
     * @param session that it is for; 0 for none
     */
    public synchronized long cookie(long now, InetSocketAddress address, long session) {
        rotate(now);
        return ByteBuffer.wrap(octets(current, address, session)).getLong();
    }

    /** Whether a cookie is the one that this address was given for this session. */
    public synchronized boolean isOf(long now, InetSocketAddress address, long session, long cookie) {
        rotate(now);
        byte[] shown = ByteBuffer.allocate(Long.BYTES).putLong(cookie).array();
        return MessageDigest.isEqual(octets(current, address, session), shown) || MessageDigest.isEqual(octets(before, address, session), shown);
    }

    private void rotate(long now) {
        if (!started) {
            started = true;
            changes = now + SLOT;
        } else if (now - changes >= 0) {
            // After a long pause the one before is as old as any: neither of the two stays.
            before = now - changes < SLOT ? current : mac();
            current = mac();
            changes = now + SLOT;
        }
    }

    private static byte[] octets(Mac mac, InetSocketAddress address, long session) {
        mac.update(ByteBuffer.allocate(Long.BYTES + Short.BYTES).putLong(session).putShort((short) address.getPort()).flip());
        return Arrays.copyOf(mac.doFinal(address.getAddress().getAddress()), Long.BYTES);
    }
}
