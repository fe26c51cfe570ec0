package org.tamanoir.services.theodolite;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.tamanoir.service.Store;
import org.tamanoir.service.server.Server;

/**
 * The last plan, over a restart of the node: compressed, in pieces that a store takes, and a head that says how many there are and what they add up to. What does
 * not add up, because a loss of power came between, is no plan.
 */
final class PlanStore {
    private static final String HEAD = "plan";
    private static final int PIECE = 60_000;
    private static final int HEAD_LENGTH = 12;

    private final Store store;
    private byte[] last = {};

    PlanStore(Store store) {
        this.store = store;
    }

    /** Keeps a plan in the place of the one before. @param failed told if that cannot be */
    void save(byte[] plan, Consumer<Throwable> failed) {
        if (Arrays.equals(plan, last)) {
            return;
        }
        last = plan;
        byte[] packed = pack(plan);
        int pieces = (packed.length + PIECE - 1) / PIECE;
        for (int i = 0; i < pieces; i++) {
            store.put(HEAD + i, Arrays.copyOfRange(packed, i * PIECE, Math.min(packed.length, (i + 1) * PIECE)));
        }
        store.put(HEAD, ByteBuffer.allocate(HEAD_LENGTH).putInt(pieces).putLong(sum(packed)).array()).whenComplete((done, failure) -> {
            if (failure != null) {
                failed.accept(failure);
            }
        });
    }

    /** What was kept; null for nothing. Reads the disk. */
    byte[] load() {
        Map<String, byte[]> all = store.all();
        byte[] head = all.get(HEAD);
        if (head == null || head.length != HEAD_LENGTH) {
            return null;
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (int i = 0; i < ByteBuffer.wrap(head).getInt(); i++) {
            byte[] piece = all.get(HEAD + i);
            if (piece == null) {
                return null;
            }
            packed.writeBytes(piece);
        }
        return sum(packed.toByteArray()) == ByteBuffer.wrap(head).getLong(Integer.BYTES) ? unpack(packed.toByteArray()) : null;
    }

    private static long sum(byte[] octets) {
        CRC32 sum = new CRC32();
        sum.update(octets);
        return sum.getValue();
    }

    private static byte[] pack(byte[] octets) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(octets);
        } catch (IOException e) {
            throw new IllegalStateException("memory has no I/O errors", e);
        }
        return packed.toByteArray();
    }

    private static byte[] unpack(byte[] packed) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            return in.readNBytes(Server.MOST_DOCUMENT);
        } catch (IOException e) {
            return null;
        }
    }
}
