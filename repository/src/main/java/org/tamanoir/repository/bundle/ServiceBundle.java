package org.tamanoir.repository.bundle;

import java.util.List;
import java.util.jar.Manifest;

/**
 * What a bundle says about itself in its manifest.
 *
 * @param name of the service, of {@link org.tamanoir.anep.ServiceName#ANY}
 * @param typeId 0x5401 to 0x5FFF
 * @param version of the service and of the bundle, as OSGi writes it: {@code 1.2.3} or {@code 1.2.3.qualifier}
 * @param level {@code light}, {@code middle} or {@code heavy}
 * @param onFailure what becomes of streams when it fails, {@code restart}, {@code bypass} or {@code drop}; null if it does not say
 * @param affinity which streams must come to the same back end of a cluster, {@code none} or {@code source}; null if it does not say
 * @param resume whether a stream through it can go on by other nodes; null if it does not say
 * @param runtime what runs it, {@code wasm}; null for Java
 * @param symbolicName the bundle's own name
 * @param imports packages that it needs, with their version ranges
 * @param exports packages that it offers
 * @param requirements other than packages, such as the extender for components
 * @param manifest all of it
 */
public record ServiceBundle(String name, int typeId, String version, String level, String onFailure, String affinity, String resume, String runtime, String symbolicName,
        List<String> imports, List<String> exports, List<String> requirements, Manifest manifest) {
}
