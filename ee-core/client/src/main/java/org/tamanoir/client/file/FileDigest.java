package org.tamanoir.client.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.BooleanSupplier;

/** The SHA-256 of a file, as the list of files has it: 64 small hexadecimal digits. */
public final class FileDigest {
    /** Of the same length as any other. */
    public static final String UNKNOWN = "0".repeat(64);
    private static final int BATCH = 1 << 20;

    private FileDigest() {
    }

    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    public static String of(ByteBuffer octets) {
        MessageDigest sha256 = sha256();
        sha256.update(octets);
        return HexFormat.of().formatHex(sha256.digest());
    }

    /** Of a whole file. @return null if it was told to stop */
    public static String of(FileChannel channel, BooleanSupplier stopped) throws IOException {
        MessageDigest sha256 = sha256();
        ByteBuffer buffer = ByteBuffer.allocateDirect(BATCH);
        for (long at = 0; ; ) {
            int read = channel.read(buffer.clear(), at);
            if (stopped.getAsBoolean()) {
                return null;
            }
            if (read < 0) {
                return HexFormat.of().formatHex(sha256.digest());
            }
            sha256.update(buffer.flip());
            at += read;
        }
    }
}
