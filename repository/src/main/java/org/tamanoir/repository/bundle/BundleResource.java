package org.tamanoir.repository.bundle;

import aQute.bnd.osgi.Domain;
import aQute.bnd.osgi.repository.XMLResourceGenerator;
import aQute.bnd.osgi.repository.XMLResourceParser;
import aQute.bnd.osgi.resource.ResourceBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.jar.Manifest;
import org.osgi.resource.Resource;

/** A bundle as the index of a repository describes it: its capabilities, its requirements, and where its content is. */
public final class BundleResource {
    private static final String NO_HASH = "0".repeat(64);

    private BundleResource() {
    }

    /**
     * @param sha256 of the bundle, which is its {@code osgi.content} and the name under {@code bundles/}
     * @param size of the bundle in octets
     */
    public static Resource of(Manifest manifest, String sha256, long size) {
        ResourceBuilder builder = new ResourceBuilder();
        builder.addManifest(Domain.domain(manifest));
        builder.addContentCapability(URI.create("bundles/" + sha256 + ".jar"), sha256, size, "application/vnd.osgi.bundle");
        return builder.build();
    }

    /** What a bundle offers and needs, without its content. */
    static Resource of(Domain headers) {
        ResourceBuilder builder = new ResourceBuilder();
        builder.addManifest(headers);
        return builder.build();
    }

    /** Writes an index (OSGi compendium, section 132.5). */
    public static void write(long increment, Collection<Resource> resources, OutputStream out) throws IOException {
        new XMLResourceGenerator().name("tamanoir").increment(increment).indent(1).resources(resources).save(out);
    }

    /** Whether an index with this bundle in it can be read again: one odd header must not spoil the index for all. */
    static boolean canBeIndexed(Manifest manifest) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            write(1, List.of(of(manifest, NO_HASH, 1)), out);
            return XMLResourceParser.getResources(new ByteArrayInputStream(out.toByteArray()), URI.create("http://localhost/")).size() == 1;
        } catch (Exception e) {
            // bnd declares just this.
            return false;
        }
    }
}
