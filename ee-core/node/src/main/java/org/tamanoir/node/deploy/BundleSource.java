package org.tamanoir.node.deploy;

import java.nio.file.Path;
import java.util.Optional;

/** Somebody who may have bundles. Called by one thread at a time for one service; what it says is not trusted. */
interface BundleSource {
    /** How operators know it: {@code store}, or a URL. */
    String name();

    /**
     * The newest version of the service with a Type ID.
     *
     * @throws org.tamanoir.anep.AnepException EE-302 if the source does not answer, EE-304 if the answer makes no sense
     */
    Optional<FoundBundle> find(int typeId);

    /**
     * Brings the bundle into a file; its hash is not checked yet.
     *
     * @throws org.tamanoir.anep.AnepException EE-302 if the source does not answer, EE-304 if it sends too much
     */
    void fetch(FoundBundle bundle, Path file);
}
