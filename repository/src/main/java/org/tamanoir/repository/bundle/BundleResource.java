package org.tamanoir.repository.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;

import aQute.bnd.osgi.Domain;
import aQute.bnd.osgi.repository.XMLResourceGenerator;
import aQute.bnd.osgi.repository.XMLResourceParser;
import aQute.bnd.osgi.resource.ResourceBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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

    /** A resource as it stands in an index, in octets. */
    public static byte[] element(Resource resource) throws IOException {
        String index = index(resource);
        return (" " + index.substring(index.indexOf("<resource>"), index.lastIndexOf("</resource>")) + "</resource>\n").getBytes(UTF_8);
    }

    private static String index(Resource... resources) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new XMLResourceGenerator().indent(1).resources(List.of(resources)).save(out);
        return out.toString(UTF_8);
    }

    /** An index (OSGi compendium, section 132.5) of elements that are written already. */
    public static byte[] index(long increment, Collection<byte[]> elements) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("<?xml version='1.0' encoding='UTF-8'?>\n<repository increment='" + increment + "' name='tamanoir' xmlns='http://www.osgi.org/xmlns/repository/v1.0.0'>\n")
                .getBytes(UTF_8));
        elements.forEach(out::writeBytes);
        out.writeBytes("</repository>\n".getBytes(UTF_8));
        return out.toByteArray();
    }

    /** Whether an index with this bundle in it can be read again: one odd header must not spoil the index for all. */
    static boolean canBeIndexed(Manifest manifest) {
        try {
            byte[] index = index(1, List.of(element(of(manifest, NO_HASH, 1))));
            return XMLResourceParser.getResources(new ByteArrayInputStream(index), URI.create("http://localhost/")).size() == 1;
        } catch (Exception e) {
            // bnd declares just this.
            return false;
        }
    }
}
