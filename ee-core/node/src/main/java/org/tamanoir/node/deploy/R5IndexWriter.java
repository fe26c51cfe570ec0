package org.tamanoir.node.deploy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.osgi.framework.Version;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;

/**
 * Writes what {@link R5Index} and bnd read: an index (OSGi Compendium 7, chapter 132.5) with the capabilities {@code tamanoir.service}
 * and {@code osgi.content} of each bundle. The same bundles give the same octets, in whatever order they come.
 */
final class R5IndexWriter {
    private static final String NAMESPACE = "http://www.osgi.org/xmlns/repository/v1.0.0";
    private static final Comparator<FoundBundle> ORDER = Comparator.comparingInt(FoundBundle::typeId)
            .thenComparing(bundle -> Version.parseVersion(bundle.version())).thenComparing(FoundBundle::sha256);
    /** XML has no way to write control characters. */
    private static final Pattern WRITABLE = Pattern.compile("\\p{Print}{1,256}");

    private R5IndexWriter() {
    }

    /** Whether a bundle can stand in an index: one odd name must not spoil the index for all. */
    static boolean canWrite(FoundBundle bundle) {
        return WRITABLE.matcher(bundle.name()).matches() && WRITABLE.matcher(bundle.level()).matches()
                && (bundle.runtime() == null || WRITABLE.matcher(bundle.runtime()).matches());
    }

    /**
     * The index as octets of UTF-8.
     *
     * @param bundles those that {@link #canWrite}, with their real sizes; {@link FoundBundle#content} is not used: a bundle is at
     *                {@code bundles/SHA256.jar} beside the index
     */
    static byte[] write(Collection<FoundBundle> bundles) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
            xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
            xml.writeStartElement("repository");
            xml.writeDefaultNamespace(NAMESPACE);
            xml.writeAttribute("name", "tamanoir");
            for (FoundBundle bundle : bundles.stream().sorted(ORDER).toList()) {
                resource(xml, bundle);
            }
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IllegalStateException("an index cannot be written to memory", e);
        }
        return out.toByteArray();
    }

    private static void resource(XMLStreamWriter xml, FoundBundle bundle) throws XMLStreamException {
        xml.writeStartElement("resource");
        capability(xml, R5Index.SERVICE);
        attribute(xml, "name", null, bundle.name());
        attribute(xml, "type-id", "Long", Integer.toString(bundle.typeId()));
        attribute(xml, "version", "Version", bundle.version());
        attribute(xml, "level", null, bundle.level());
        if (bundle.runtime() != null) {
            attribute(xml, "runtime", null, bundle.runtime());
        }
        xml.writeEndElement();
        capability(xml, R5Index.CONTENT);
        attribute(xml, R5Index.CONTENT, null, bundle.sha256());
        attribute(xml, "url", null, "bundles/" + bundle.sha256() + ".jar");
        attribute(xml, "size", "Long", Long.toString(bundle.size()));
        attribute(xml, "mime", null, CodeServer.BUNDLE_TYPE);
        xml.writeEndElement();
        xml.writeEndElement();
    }

    private static void capability(XMLStreamWriter xml, String namespace) throws XMLStreamException {
        xml.writeStartElement("capability");
        xml.writeAttribute("namespace", namespace);
    }

    private static void attribute(XMLStreamWriter xml, String name, String type, String value) throws XMLStreamException {
        xml.writeEmptyElement("attribute");
        xml.writeAttribute("name", name);
        if (type != null) {
            xml.writeAttribute("type", type);
        }
        xml.writeAttribute("value", value);
    }
}
