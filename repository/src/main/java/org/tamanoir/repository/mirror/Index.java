package org.tamanoir.repository.mirror;

import aQute.bnd.version.Version;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.repository.mirror.Index.Offer;
import org.tamanoir.repository.store.Catalogue;

/**
 * Reads what an upstream says it has: its index (OSGi Compendium 8, section 132.5), and its list of services with those that are retired.
 * Keeps of each resource what a mirror needs; a value that makes no sense makes all of it an error.
 */
final class Index {
    private static final String SERVICE = "tamanoir.service";
    private static final String CONTENT = "osgi.content";
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    private static final int LONGEST_VERSION = 256;

    private Index() {
    }

    /**
     * The services of an index.
     *
     * @throws AnepException EE-304 if it is none, or has more than a repository may hold
     */
    static List<Offer> read(InputStream index) {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        List<Offer> offers = new ArrayList<>();
        try {
            XMLStreamReader xml = factory.createXMLStreamReader(index);
            if (xml.nextTag() != XMLStreamConstants.START_ELEMENT || !xml.getLocalName().equals("repository")) {
                throw new IllegalArgumentException("it does not begin with <repository>");
            }
            while (xml.hasNext()) {
                if (xml.next() == XMLStreamConstants.START_ELEMENT && xml.getLocalName().equals("resource")) {
                    resource(xml, offers);
                    checkNumber(offers);
                }
            }
            return offers;
        } catch (XMLStreamException | IllegalArgumentException e) {
            throw bad(e);
        }
    }

    private static void resource(XMLStreamReader xml, List<Offer> offers) throws XMLStreamException {
        Map<String, Map<String, String>> capabilities = new HashMap<>();
        Map<String, String> attributes = new HashMap<>();
        while (xml.next() != XMLStreamConstants.END_ELEMENT || !xml.getLocalName().equals("resource")) {
            if (xml.getEventType() != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            switch (xml.getLocalName()) {
                case "capability" -> {
                    attributes = new HashMap<>();
                    String namespace = xml.getAttributeValue(null, "namespace");
                    if (SERVICE.equals(namespace) || CONTENT.equals(namespace)) {
                        capabilities.put(namespace, attributes);
                    }
                }
                case "requirement" -> attributes = new HashMap<>();
                case "attribute" -> attributes.put(xml.getAttributeValue(null, "name"), xml.getAttributeValue(null, "value"));
                default -> {
                }
            }
        }
        Map<String, String> service = capabilities.get(SERVICE);
        Map<String, String> content = capabilities.get(CONTENT);
        if (service != null && content != null) {
            offers.add(offer(service.get("name"), service.get("type-id"), service.get("version"), content.get(CONTENT), content.get("size")));
        }
    }

    /**
     * The retired ones of {@code GET /services}.
     *
     * @throws AnepException EE-304 if it is not that
     */
    static List<Offer> retired(JsonNode services) {
        List<Offer> retired = new ArrayList<>();
        try {
            for (JsonNode entry : services.path("services")) {
                if (entry.path("retired").asBoolean()) {
                    retired.add(offer(entry.path("name").asText(null), entry.path("typeId").asText(null), entry.path("version").asText(null),
                            entry.path("sha256").asText(null), entry.path("size").asText(null)));
                    checkNumber(retired);
                }
            }
            return retired;
        } catch (IllegalArgumentException e) {
            throw bad(e);
        }
    }

    private static Offer offer(String name, String typeId, String version, String sha256, String size) {
        if (!ServiceName.isName(name) || sha256 == null || !SHA256.matcher(sha256).matches() || version == null
                || version.length() > LONGEST_VERSION || typeId == null || size == null) {
            throw new IllegalArgumentException("a service has no name, type-id, version, SHA-256 or size, or one that makes no sense");
        }
        Offer offer = new Offer(name, Integer.parseInt(typeId), Version.parseVersion(version).toString(), sha256, Long.parseLong(size));
        if (offer.size() < 1) {
            throw new IllegalArgumentException("a bundle of " + offer.size() + " octets");
        }
        return offer;
    }

    private static void checkNumber(List<Offer> offers) {
        if (offers.size() > Catalogue.MAX_ENTRIES) {
            throw new IllegalArgumentException("it has more than the " + Catalogue.MAX_ENTRIES + " versions that a repository may hold");
        }
    }

    private static AnepException bad(Exception cause) {
        return new AnepException(ErrorCode.BAD_BUNDLE, "the upstream sent no index that makes sense: " + cause.getMessage(), cause);
    }

    /**
     * One version of a service that an upstream has.
     *
     * @param name of the service
     * @param typeId of the service
     * @param version as OSGi writes it
     * @param sha256 of the bundle, 64 hexadecimal digits in lower case
     * @param size of the bundle in octets
     */
    record Offer(String name, int typeId, String version, String sha256, long size) {
        @Override
        public String toString() {
            return name + " " + version;
        }
    }

    /**
     * What an upstream says it has.
     *
     * @param offered versions that nodes may fetch
     * @param retired versions that it had and has taken back
     */
    record Listing(List<Offer> offered, List<Offer> retired) {
        static final Listing EMPTY = new Listing(List.of(), List.of());

        /** What is retired is not offered, whatever the upstream says: otherwise a version would go to and fro. */
        Listing {
            Set<String> gone = retired.stream().map(offer -> offer + offer.sha256()).collect(Collectors.toSet());
            offered = offered.stream().filter(offer -> !gone.contains(offer + offer.sha256())).toList();
        }

        /** As one without guests would have it. */
        Listing withoutGuests() {
            return new Listing(offered.stream().filter(offer -> !ServiceName.isGuest(offer.name())).toList(),
                    retired.stream().filter(offer -> !ServiceName.isGuest(offer.name())).toList());
        }
    }
}
