package org.tamanoir.node.deploy;

import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.osgi.framework.Version;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;

/**
 * Reads what a node needs of a repository index (OSGi Compendium 7, chapter 132.5): of each resource the capabilities
 * {@code tamanoir.service} and {@code osgi.content}. Resources without both are passed over; one with values that make no sense is an
 * error, because the index is then not to be trusted.
 */
final class R5Index {
    static final String SERVICE = "tamanoir.service";
    static final String CONTENT = "osgi.content";
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private R5Index() {
    }

    /**
     * The services of an index.
     *
     * @param base what relative addresses in the index are relative to
     * @throws AnepException EE-304 if this is no index
     */
    static List<FoundBundle> read(InputStream index, URI base) {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        List<FoundBundle> found = new ArrayList<>();
        try {
            XMLStreamReader xml = factory.createXMLStreamReader(index);
            if (xml.nextTag() != XMLStreamConstants.START_ELEMENT || !xml.getLocalName().equals("repository")) {
                throw bad("it does not begin with <repository>", null);
            }
            while (xml.hasNext()) {
                if (xml.next() == XMLStreamConstants.START_ELEMENT && xml.getLocalName().equals("resource")) {
                    FoundBundle bundle = resource(xml, base);
                    if (bundle != null) {
                        found.add(bundle);
                    }
                }
            }
        } catch (XMLStreamException | IllegalArgumentException e) {
            throw bad(e.getMessage(), e);
        }
        return found;
    }

    private static FoundBundle resource(XMLStreamReader xml, URI base) throws XMLStreamException {
        Map<String, Map<String, String>> capabilities = new HashMap<>();
        Map<String, String> attributes = new HashMap<>();
        while (true) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT && xml.getLocalName().equals("capability")) {
                attributes = new HashMap<>();
                capabilities.put(xml.getAttributeValue(null, "namespace"), attributes);
            } else if (event == XMLStreamConstants.START_ELEMENT && xml.getLocalName().equals("requirement")) {
                attributes = new HashMap<>();
            } else if (event == XMLStreamConstants.START_ELEMENT && xml.getLocalName().equals("attribute")) {
                attributes.put(xml.getAttributeValue(null, "name"), xml.getAttributeValue(null, "value"));
            } else if (event == XMLStreamConstants.END_ELEMENT && xml.getLocalName().equals("resource")) {
                break;
            }
        }
        Map<String, String> service = capabilities.get(SERVICE);
        Map<String, String> content = capabilities.get(CONTENT);
        return service == null || content == null ? null : bundle(service, content, base);
    }

    private static FoundBundle bundle(Map<String, String> service, Map<String, String> content, URI base) {
        int typeId = Integer.parseInt(needed(service, "type-id"));
        String sha256 = needed(content, CONTENT);
        if (typeId < 1 || typeId > 0xFFFF || !SHA256.matcher(sha256).matches()) {
            throw new IllegalArgumentException("type-id " + typeId + " or hash " + sha256 + " is out of range");
        }
        String version = Version.parseVersion(needed(service, "version")).toString();
        String size = content.get("size");
        return new FoundBundle(typeId, needed(service, "name"), version, needed(service, "level"), sha256,
                size == null ? -1 : Long.parseLong(size), base.resolve(needed(content, "url")), service.get("runtime"));
    }

    private static String needed(Map<String, String> attributes, String name) {
        String value = attributes.get(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("the attribute " + name + " is missing");
        }
        return value;
    }

    private static AnepException bad(String what, Exception cause) {
        return new AnepException(ErrorCode.BAD_BUNDLE, "the repository sent no index: " + what, cause);
    }
}
