package org.tamanoir.repository.bundle;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLStreamException;
import org.tamanoir.service.ActiveService;

/**
 * The components of a bundle (OSGi Compendium 8, chapter 112): whether a node gets an {@link ActiveService} out of them. A node has
 * no configuration service and no services but the bundle's own, so a component that waits for either is never made.
 */
final class ServiceComponents {
    private static final String SERVICE = ActiveService.class.getName();

    private ServiceComponents() {
    }

    static void check(BundleContent content, Faults faults) {
        List<ComponentPath> paths = ComponentPath.of(content.manifest());
        if (paths.isEmpty()) {
            faults.add("it has no " + ComponentPath.HEADER + ": annotate the class of the service with @Component and build with bnd");
            return;
        }
        for (ComponentPath path : paths) {
            if (content.components().keySet().stream().noneMatch(path::matches)) {
                faults.add(ComponentPath.HEADER + " names " + path + ", which is not in the bundle");
            }
        }
        List<Component> components = new ArrayList<>();
        content.components().forEach((entry, xml) -> components.addAll(read(entry, xml, faults)));
        if (!content.components().isEmpty()) {
            check(components, content, faults);
        }
    }

    private static List<Component> read(String entry, byte[] xml, Faults faults) {
        try {
            List<Component> components = Component.read(new ByteArrayInputStream(xml));
            if (components.isEmpty()) {
                faults.add(entry + " describes no component");
            }
            return components;
        } catch (XMLStreamException e) {
            faults.add(entry + " is no component description: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
            return List.of();
        }
    }

    private static void check(List<Component> components, BundleContent content, Faults faults) {
        Set<String> provided = new HashSet<>();
        components.forEach(component -> provided.addAll(component.provided()));
        if (!provided.contains(SERVICE)) {
            faults.add("none of its components provides " + SERVICE);
        }
        for (Component component : components) {
            if (component.implementation() == null) {
                faults.add("the component " + component.name() + " names no class");
            } else if (!content.hasClass(component.implementation())) {
                faults.add("the component " + component.name() + " is made of the class " + component.implementation()
                        + ", which is not in the bundle");
            }
            for (String service : component.needed()) {
                if (!provided.contains(service)) {
                    faults.add("the component " + component.name() + " waits for the service " + service
                            + ", which neither a node nor the bundle offers");
                }
            }
            for (Map.Entry<String, String> never : component.never().entrySet()) {
                faults.add("the component " + component.name() + " has " + never.getKey() + "=\"" + never.getValue()
                        + "\", so no node ever makes it");
            }
        }
    }
}
