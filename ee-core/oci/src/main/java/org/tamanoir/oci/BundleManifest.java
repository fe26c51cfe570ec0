package org.tamanoir.oci;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The manifest of a bundle (OCI image specification 1.1, "Guidelines for Artifact Usage"): an empty configuration and one layer, the jar. Of the same bundle the same octets, so
 * whoever puts it again changes nothing.
 *
 * @param tag         the version
 * @param title       the name of the file that other clients make of the jar
 * @param sha256      of the jar, 64 hexadecimal digits in lower case
 * @param size        of the jar in octets
 * @param annotations for people and for other programs; nothing here goes by them
 */
public record BundleManifest(String tag, String title, String sha256, long size, Map<String, String> annotations) {
    /** What it is the manifest of. */
    public static final String ARTIFACT_TYPE = "application/vnd.tamanoir.service.v1";
    static final String MEDIA_TYPE = "application/vnd.oci.image.manifest.v1+json";
    private static final String LAYER_TYPE = "application/java-archive";
    private static final String EMPTY_TYPE = "application/vnd.oci.empty.v1+json";
    /** The empty configuration, a blob like others. */
    static final byte[] EMPTY = "{}".getBytes(StandardCharsets.UTF_8);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public BundleManifest {
        annotations = Map.copyOf(annotations);
    }

    byte[] octets() {
        ObjectNode manifest = MAPPER.createObjectNode().put("schemaVersion", 2).put("mediaType", MEDIA_TYPE).put("artifactType", ARTIFACT_TYPE);
        descriptor(manifest.putObject("config"), EMPTY_TYPE, Digest.of(EMPTY), EMPTY.length);
        descriptor(manifest.putArray("layers").addObject(), LAYER_TYPE, Digest.of(sha256), size).putObject("annotations").put("org.opencontainers.image.title", title);
        ObjectNode notes = manifest.putObject("annotations");
        new TreeMap<>(annotations).forEach(notes::put);
        try {
            return MAPPER.writeValueAsBytes(manifest);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a manifest cannot be written as JSON", e);
        }
    }

    private static ObjectNode descriptor(ObjectNode node, String type, String digest, long size) {
        return node.put("mediaType", type).put("digest", digest).put("size", size);
    }
}
