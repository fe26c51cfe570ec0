package org.tamanoir.repository.bundle;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * One component description (OSGi Compendium 8, section 112.4).
 *
 * @param name its name, or that of its class
 * @param implementation its class; null if it names none
 * @param provided the interfaces of the services that it registers
 * @param needed the interfaces of the services that it cannot be made without
 * @param never settings by which it is not made where nobody configures it
 */
record Component(String name, String implementation, Set<String> provided, Set<String> needed, Map<String, String> never) {
    private static final String NAMESPACE = "http://www.osgi.org/xmlns/scr/v1.";

    /** All components of one document. */
    static List<Component> read(InputStream document) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        XMLStreamReader xml = factory.createXMLStreamReader(document);
        List<Component> components = new ArrayList<>();
        boolean root = true;
        while (xml.hasNext()) {
            if (xml.next() == XMLStreamConstants.START_ELEMENT) {
                String namespace = xml.getNamespaceURI();
                // A root element without a namespace counts (section 112.4.2).
                boolean known = namespace == null || namespace.isEmpty() ? root : namespace.startsWith(NAMESPACE);
                if (known && xml.getLocalName().equals("component")) {
                    components.add(component(xml));
                }
                root = false;
            }
        }
        return components;
    }

    private static Component component(XMLStreamReader xml) throws XMLStreamException {
        String name = xml.getAttributeValue(null, "name");
        Map<String, String> never = new HashMap<>();
        keep(xml, "enabled", "false", never);
        keep(xml, "configuration-policy", "require", never);
        String implementation = null;
        Set<String> provided = new HashSet<>();
        Set<String> needed = new HashSet<>();
        for (int depth = 1; depth > 0;) {
            int event = xml.next();
            if (event == XMLStreamConstants.END_ELEMENT) {
                depth--;
            } else if (event == XMLStreamConstants.START_ELEMENT) {
                depth++;
                String service = xml.getAttributeValue(null, "interface");
                switch (xml.getLocalName()) {
                    case "implementation" -> implementation = xml.getAttributeValue(null, "class");
                    case "provide" -> provided.add(String.valueOf(service));
                    case "reference" -> {
                        String cardinality = xml.getAttributeValue(null, "cardinality");
                        if (cardinality == null || cardinality.startsWith("1")) {
                            needed.add(String.valueOf(service));
                        }
                    }
                    default -> {
                    }
                }
            }
        }
        return new Component(name == null ? String.valueOf(implementation) : name, implementation, provided, needed, never);
    }

    private static void keep(XMLStreamReader xml, String attribute, String value, Map<String, String> into) {
        if (value.equals(xml.getAttributeValue(null, attribute))) {
            into.put(attribute, value);
        }
    }
}
