package org.tamanoir.tuf.sign;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.tuf.format.CanonicalJson;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.StrictJson;

/**
 * A file of metadata that is being written: what it says, and who has signed that so far. What this program does not know of a file that others have
 * written stays in it. A change takes the signatures off.
 */
public class Draft {
    /** The version that is written. */
    private static final String SPECIFICATION = "1.0.31";
    private static final JsonFactory FACTORY = new JsonFactory();

    final Map<String, Object> signed;
    private final Map<String, byte[]> signatures = new LinkedHashMap<>();

    /** @param signed as {@link StrictJson} reads it; changed from now on */
    Draft(Map<String, Object> signed) {
        this.signed = signed;
    }

    /** A new file in its first version. */
    Draft(String type, Instant expires) {
        this(new LinkedHashMap<>());
        signed.put("_type", type);
        signed.put("spec_version", SPECIFICATION);
        signed.put("version", 1L);
        expires(expires);
    }

    /**
     * A file as it is, to be signed.
     *
     * @throws org.tamanoir.anep.AnepException EE-420
     */
    public static Draft read(byte[] octets) {
        Map<String, Object> document = StrictJson.object(octets);
        Draft draft = new Draft(object(document, "signed"));
        for (Object each : list(document, "signatures")) {
            Map<String, Object> signature = object(each);
            draft.signatures.put((String) signature.get("keyid"), HexFormat.of().parseHex((String) signature.get("sig")));
        }
        return draft;
    }

    public final long version() {
        return (Long) signed.get("version");
    }

    /** Another version, which nobody has signed. */
    public final Draft version(long version) {
        signed.put("version", version);
        return changed();
    }

    /** The time, cut off to seconds, from which it counts no more. */
    public final Draft expires(Instant expires) {
        signed.put("expires", expires.truncatedTo(ChronoUnit.SECONDS).toString());
        return changed();
    }

    final Draft changed() {
        signatures.clear();
        return this;
    }

    /** Signs it as it is now; in the place of an earlier signature of the same key. */
    public final Draft sign(RoleSigner signer) {
        signatures.put(signer.key().id(), signer.sign(CanonicalJson.octets(signed)));
        return this;
    }

    /** The file: JSON that people can read and compare. */
    public final byte[] octets() {
        List<Object> made = new ArrayList<>();
        signatures.forEach((key, signature) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("keyid", key);
            one.put("sig", HexFormat.of().formatHex(signature));
            made.add(one);
        });
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("signatures", made);
        document.put("signed", signed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            DefaultIndenter lines = new DefaultIndenter(" ", "\n");
            DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
            printer.indentArraysWith(lines);
            printer.indentObjectsWith(lines);
            json.setPrettyPrinter(printer);
            write(document, json);
        } catch (IOException e) {
            throw new IllegalStateException("memory is written to", e);
        }
        return out.toByteArray();
    }

    private static void write(Object value, JsonGenerator json) throws IOException {
        if (value instanceof Map<?, ?> object) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : object.entrySet()) {
                json.writeFieldName((String) field.getKey());
                write(field.getValue(), json);
            }
            json.writeEndObject();
        } else if (value instanceof List<?> array) {
            json.writeStartArray();
            for (Object each : array) {
                write(each, json);
            }
            json.writeEndArray();
        } else if (value instanceof String text) {
            json.writeString(text);
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else {
            json.writeNull();
        }
    }

    /** An object in an object of a document whose form has been checked. */
    static Map<String, Object> object(Map<String, Object> in, String name) {
        return object(in.get(name));
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Map<String, Object> in, String name) {
        return (List<Object>) in.get(name);
    }

    /** {@code {length, hashes, version}} of a file of metadata. */
    static Map<String, Object> meta(long version, byte[] octets) {
        Map<String, Object> meta = new LinkedHashMap<>();
        meta.put("version", version);
        meta.put("length", (long) octets.length);
        meta.put("hashes", new LinkedHashMap<>(Map.of("sha256", Hashes.sha256(octets))));
        return meta;
    }
}
