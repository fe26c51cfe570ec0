package org.tamanoir.service.platform;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What every node offers to services besides Java itself. Nodes export it; a repository checks bundles against it. */
public final class Platform {
    /** The Java release that bundles may need: the oldest that a node runs on. */
    public static final int JAVA = 17;

    /** Of Jackson, for services that read JSON: the packages that {@code ObjectMapper} shows. */
    private static final String JACKSON = "2.22.4";
    private static final Map<String, String> PACKAGES = new TreeMap<>(Map.ofEntries(Map.entry("org.tamanoir.anep", "1.0.0"),
            Map.entry("org.tamanoir.service", "1.10.0"), Map.entry("org.tamanoir.service.connection", "1.0.0"),
            Map.entry("org.tamanoir.service.flow", "1.0.0"), Map.entry("org.tamanoir.service.lease", "1.0.0"), Map.entry("org.tamanoir.service.link", "1.0.0"),
            Map.entry("org.tamanoir.service.probe", "1.0.0"), Map.entry("org.tamanoir.service.qos", "1.2.0"),
            Map.entry("org.tamanoir.service.rule", "1.1.0"), Map.entry("org.tamanoir.service.server", "1.0.0"), Map.entry("org.tamanoir.service.tcp", "1.0.0"),
            Map.entry("org.tamanoir.service.worker", "1.0.0"),
            Map.entry("io.netty.buffer", "4.2.12"), Map.entry("io.netty.util", "4.2.12"), Map.entry("org.slf4j", "2.0.20"),
            Map.entry("com.fasterxml.jackson.core", JACKSON), Map.entry("com.fasterxml.jackson.core.exc", JACKSON), Map.entry("com.fasterxml.jackson.core.type", JACKSON),
            Map.entry("com.fasterxml.jackson.databind", JACKSON), Map.entry("com.fasterxml.jackson.databind.node", JACKSON)));

    private Platform() {
    }

    /** Packages with their versions. */
    public static Map<String, String> packages() {
        return Map.copyOf(PACKAGES);
    }

    /** The packages as a framework's header has them: {@code NAME;version=VERSION,…}. */
    public static String asHeader() {
        return PACKAGES.entrySet().stream().map(each -> each.getKey() + ";version=" + each.getValue()).collect(Collectors.joining(","));
    }
}
