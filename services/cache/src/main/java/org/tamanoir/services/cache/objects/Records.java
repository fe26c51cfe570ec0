package org.tamanoir.services.cache.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.tamanoir.service.Store;
import org.tamanoir.services.cache.http.Field;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.rules.Stored;

/**
 * What finds the blocks again after a restart. An object has a record under its id, and pages {@code ID.0}, {@code ID.1} and so on with the names of 1,024 blocks each,
 * 32 octets a name, zeros for a block that is missing.
 */
final class Records {
    private static final byte VERSION = 1;
    private static final int PAGE = 1024;
    private static final int NAME = 32;
    private static final HexFormat HEX = HexFormat.of();

    private final Store store;
    private final Logger log;

    Records(Store store, Logger log) {
        this.store = store;
        this.log = log;
    }

    void save(CachedObject object) {
        put(object.id(), record(object));
        for (int page = 0; page * PAGE < object.blocks.length; page++) {
            put(object.id() + "." + page, page(object, page));
        }
    }

    /** Saves the head alone, which a 304 has changed. */
    void saveHead(CachedObject object) {
        put(object.id(), record(object));
    }

    private void put(String key, byte[] value) {
        store.put(key, value).whenComplete((done, failure) -> {
            if (failure != null) {
                log.debug("{} is not kept over a restart: {}", key, failure.getMessage());
            }
        });
    }

    void remove(CachedObject object) {
        store.remove(object.id());
        for (int page = 0; page * PAGE < object.blocks.length; page++) {
            store.remove(object.id() + "." + page);
        }
    }

    private static byte[] page(CachedObject object, int page) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        for (int index = page * PAGE; index < Math.min(object.blocks.length, (page + 1) * PAGE); index++) {
            octets.writeBytes(object.blocks[index] == null ? new byte[NAME] : HEX.parseHex(object.blocks[index]));
        }
        return octets.toByteArray();
    }

    private static byte[] record(CachedObject object) {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(octets)) {
            out.writeByte(VERSION);
            text(out, object.key());
            out.writeShort(object.variant().size());
            for (Map.Entry<String, String> field : object.variant().entrySet()) {
                text(out, field.getKey());
                text(out, field.getValue());
            }
            Stored stored = object.stored;
            out.writeInt(stored.head().status());
            text(out, stored.head().third());
            out.writeShort(stored.head().fields().size());
            for (Field field : stored.head().fields()) {
                text(out, field.name());
                text(out, field.value());
            }
            out.writeLong(stored.requestMillis());
            out.writeLong(stored.answerMillis());
            out.writeBoolean(stored.asks());
            out.writeLong(object.length);
            out.writeInt(object.blocks.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return octets.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] octets = text.getBytes(UTF_8);
        out.writeInt(octets.length);
        out.write(octets);
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), UTF_8);
    }

    /** All objects that have a record which can be read. */
    List<CachedObject> load() {
        Map<String, byte[]> all = store.all();
        List<CachedObject> objects = new ArrayList<>();
        all.forEach((key, value) -> {
            if (key.indexOf('.') < 0) {
                try {
                    objects.add(object(key, value, all));
                } catch (IOException | RuntimeException e) {
                    log.warn("a record of an object cannot be read and is thrown away: {}", e.toString());
                    store.remove(key);
                }
            }
        });
        return objects;
    }

    private static CachedObject object(String id, byte[] value, Map<String, byte[]> all) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
            if (in.readByte() != VERSION) {
                throw new IOException("a record of another version");
            }
            String key = text(in);
            Map<String, String> variant = new LinkedHashMap<>();
            for (int left = in.readShort(); left > 0; left--) {
                variant.put(text(in), text(in));
            }
            int status = in.readInt();
            String reason = text(in);
            List<Field> fields = new ArrayList<>();
            for (int left = in.readShort(); left > 0; left--) {
                fields.add(new Field(text(in), text(in)));
            }
            Stored stored = new Stored(Head.answer(status, reason, fields), in.readLong(), in.readLong(), in.readBoolean());
            CachedObject object = new CachedObject(key, id, variant, stored, in.readLong());
            int blocks = in.readInt();
            for (int index = 0; index < blocks; index++) {
                byte[] page = all.get(id + "." + index / PAGE);
                int at = index % PAGE * NAME;
                String name = page == null || page.length < at + NAME ? "" : HEX.formatHex(page, at, at + NAME);
                if (!name.isEmpty() && !name.matches("0+")) {
                    object.block(index, name);
                    object.kept += object.size(index);
                }
            }
            object.complete = object.kept == object.length;
            return object;
        }
    }
}
