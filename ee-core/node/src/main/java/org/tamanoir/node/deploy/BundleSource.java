package org.tamanoir.node.deploy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.net.URI;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.osgi.framework.Version;

/** Somebody who may have bundles. Called by one thread at a time for one service; what it says is not trusted. */
interface BundleSource {
    /** How operators know it: {@code store}, {@code node HOST:PORT}, or a URL. */
    String name();

    /**
     * The versions of the service with a Type ID, newest first.
     *
     * @throws org.tamanoir.anep.AnepException EE-302 if the source does not answer, EE-304 if the answer makes no sense
     */
    List<FoundBundle> find(int typeId);

    /**
     * Brings the bundle into a file; its hash is not checked yet.
     *
     * @throws org.tamanoir.anep.AnepException EE-302 if the source does not answer, EE-304 if it sends too much
     */
    void fetch(FoundBundle bundle, Path file);

    /**
     * A bundle that a source says it has.
     *
     * @param typeId  0 to 65,535
     * @param level   light, middle or heavy
     * @param sha256  64 lower-case hexadecimal digits
     * @param size    octets, or -1 if the source does not say
     * @param content where the bundle is
     * @param runtime what runs it, such as {@code wasm}; null for Java, or if the source does not say
     */
    record FoundBundle(int typeId, String name, String version, String level, String sha256, long size, URI content,
                       @JsonInclude(JsonInclude.Include.NON_NULL) String runtime) {
        /** One of Java, or of a source that does not say. */
        FoundBundle(int typeId, String name, String version, String level, String sha256, long size, URI content) {
            this(typeId, name, version, level, sha256, size, content, null);
        }

        /** By version, newest first. */
        static final Comparator<FoundBundle> NEWEST_FIRST = Comparator.comparing(FoundBundle::number).reversed();

        @JsonIgnore
        Version number() {
            return Version.parseVersion(version);
        }
    }
}
