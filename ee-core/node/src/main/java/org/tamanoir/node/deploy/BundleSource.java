package org.tamanoir.node.deploy;

import java.nio.file.Path;
import java.util.List;

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
}
