package org.tamanoir.wasm.image;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Named octets in a file with a checksum (CRC-32C) in front: {@code TMI2}, checksum, number of entries; for each its name, its length, its
 * octets. Not compressed, and against accidents only, because it is read whenever a service starts: a cold JVM takes 100 ms for the SHA-256 of a
 * module in Go.
 */
final class ImageFile {
    private static final byte[] MAGIC = {'T', 'M', 'I', '2'};
    private static final int HEADER = MAGIC.length + Integer.BYTES;

    private ImageFile() {
    }

    static byte[] write(Map<String, byte[]> entries) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(octets)) {
            out.write(MAGIC);
            out.writeInt(0);
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
        ByteBuffer.wrap(file).putInt(MAGIC.length, checksum(file));
        return file;
    }

    /** @return the entries in the order in which they were written; null if the file is damaged */
    static Map<String, byte[]> read(byte[] file) {
        if (file.length < HEADER || !Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
                || ByteBuffer.wrap(file).getInt(MAGIC.length) != checksum(file)) {
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

    private static int checksum(byte[] file) {
        CRC32C checksum = new CRC32C();
        checksum.update(file, HEADER, file.length - HEADER);
        return (int) checksum.getValue();
    }
}
