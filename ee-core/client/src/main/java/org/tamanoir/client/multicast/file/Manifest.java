package org.tamanoir.client.multicast.file;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.file.FileName;

/**
 * What is in the content of a session: the files in the order of their octets. On the wire a JSON object, {@code {"files": [{"name":
 * "a/b", "size": 12, "mode": 420, "modified": 1700000000000000000, "sha256": "b94d…"}]}}, after its length in four octets. Fields that a reader does not know
 * it leaves out, and all but {@code name} and {@code size} may be missing: sources and receivers of different versions understand each other.
 *
 * @param files at least one, at most {@link #MOST_FILES}
 */
public record Manifest(List<Entry> files) {
    public static final int MOST_FILES = 10_000;
    /** Octets of the JSON object: 10,000 files with names of 250 octets. */
    public static final int MOST_OCTETS = 4 << 20;
    /** Octets of the length before it. */
    static final int LENGTH_SIZE = 4;

    private static final ObjectMapper MAPPER = JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT).enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION).build();

    /**
     * A file.
     *
     * @param name     relative, with {@code /}
     * @param size     octets
     * @param mode     permissions, of which receivers take the bits 0777; null if the source says nothing of them
     * @param modified when it was changed last, nanoseconds since 1970; null if the source does not say it
     * @param sha256   of its content, 64 small hexadecimal digits; null if the source does not say it
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Entry(String name, long size, Integer mode, Long modified, String sha256) {
        private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

        public Entry {
            // What is no SHA-256 helps nobody to find the file, and keeps nobody from getting it.
            sha256 = sha256 != null && SHA256.matcher(sha256).matches() ? sha256 : null;
        }

        /** A file of whose content no more is known. */
        public Entry(String name, long size, Integer mode, Long modified) {
            this(name, size, mode, modified, null);
        }

        /** A file of which no more is known. */
        public Entry(String name, long size) {
            this(name, size, null, null, null);
        }
    }

    /**
     * A manifest that is true to the rules.
     *
     * @throws AnepException EE-108 if it is not: no files or too many, a name that leads out of a directory, stands twice, or is a file
     *     here and a folder there
     */
    public Manifest {
        if (files == null || files.isEmpty() || files.size() > MOST_FILES) {
            throw bad("it has " + (files == null ? 0 : files.size()) + " files; 1 to " + MOST_FILES + " are possible");
        }
        // Not List.copyOf, which answers a null with a defect instead of an error.
        files = Collections.unmodifiableList(new ArrayList<>(files));
        Set<String> names = new HashSet<>();
        long total = 0;
        for (Entry file : files) {
            String fault = file == null ? "there is none" : FileName.fault(file.name());
            if (fault != null) {
                throw bad("the name " + FileName.shown(file == null ? null : file.name()) + ": " + fault);
            }
            if (!names.add(file.name())) {
                throw bad("the name " + FileName.shown(file.name()) + " stands twice");
            }
            total += file.size();
            if (file.size() < 0 || total < 0) {
                throw bad("the size of " + FileName.shown(file.name()) + " is " + file.size());
            }
        }
        for (Entry file : files) {
            for (int slash = file.name().indexOf('/'); slash > 0; slash = file.name().indexOf('/', slash + 1)) {
                if (names.contains(file.name().substring(0, slash))) {
                    throw bad(FileName.shown(file.name().substring(0, slash)) + " would be a file and a folder");
                }
            }
        }
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_OPTION_VALUE, "the session's list of files cannot be used: " + what);
    }

    /** Octets of all files. */
    public long size() {
        return files.stream().mapToLong(Entry::size).sum();
    }

    /** Length and JSON object. @throws AnepException EE-405 if the object has more than {@link #MOST_OCTETS} */
    public byte[] encode() {
        try {
            byte[] json = MAPPER.writeValueAsBytes(Map.of("files", files));
            if (json.length > MOST_OCTETS) {
                throw new AnepException(ErrorCode.TOO_LARGE, "the list of the files has " + json.length + " octets; " + MOST_OCTETS
                        + " can be sent");
            }
            return ByteBuffer.allocate(LENGTH_SIZE + json.length).putInt(json.length).put(json).array();
        } catch (IOException e) {
            throw new IllegalStateException("text and numbers can be written", e);
        }
    }

    /**
     * Octets of the JSON object, from the octets before it.
     *
     * @throws AnepException EE-108 if there are none or too many
     */
    static int length(int field) {
        if (field < 1 || field > MOST_OCTETS) {
            throw bad("it has " + Integer.toUnsignedLong(field) + " octets; 1 to " + MOST_OCTETS + " are possible");
        }
        return field;
    }

    /** The manifest of a JSON object. @throws AnepException EE-108 if it is none */
    static Manifest decode(byte[] json) {
        try {
            Manifest manifest = MAPPER.readValue(json, Manifest.class);
            if (manifest == null) {
                throw bad("it is null");
            }
            return manifest;
        } catch (IOException e) {
            if (e.getCause() instanceof AnepException known) {
                throw known;
            }
            throw bad("it is no JSON object of files: " + e.getMessage().lines().findFirst().orElse(""));
        }
    }
}
