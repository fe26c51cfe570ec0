package org.tamanoir.wasm.image;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Named octets in a file with a checksum (SHA-256) in front: {@code TMI1}, checksum, number of entries; for each its name, its length, its
 * octets. Not compressed, because it is read whenever a service starts.
 */
final class ImageFile {
    private static final byte[] MAGIC = {'T', 'M', 'I', '1'};
    private static final int CHECKSUM = 32;
    private static final int HEADER = MAGIC.length + CHECKSUM;

    private ImageFile() {
    }

    static byte[] write(Map<String, byte[]> entries) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(octets)) {
            out.write(MAGIC);
            out.write(new byte[CHECKSUM]);
            out.writeInt(entries.size());
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                out.writeUTF(entry.getKey());
                out.writeInt(entry.getValue().length);
                out.write(entry.getValue());
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        byte[] file = octets.toByteArray();
        System.arraycopy(checksum(file), 0, file, MAGIC.length, CHECKSUM);
        return file;
    }

    /** @return the entries in the order in which they were written; null if the file is damaged */
    static Map<String, byte[]> read(byte[] file) {
        if (file.length < HEADER || !Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                || !Arrays.equals(file, MAGIC.length, HEADER, checksum(file), 0, CHECKSUM)) {
            return null;
        }
        Map<String, byte[]> entries = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(file, HEADER, file.length - HEADER))) {
            for (int count = in.readInt(); count > 0; count--) {
                String name = in.readUTF();
                entries.put(name, in.readNBytes(in.readInt()));
            }
            return entries;
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }

    private static byte[] checksum(byte[] file) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(file, HEADER, file.length - HEADER);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
