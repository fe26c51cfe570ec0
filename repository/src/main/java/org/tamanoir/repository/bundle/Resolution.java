package org.tamanoir.repository.bundle;

import aQute.bnd.build.model.EE;
import aQute.bnd.header.Attrs;
import aQute.bnd.header.Parameters;
import aQute.bnd.osgi.Domain;
import aQute.bnd.osgi.Processor;
import aQute.bnd.osgi.resource.ResourceUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.osgi.resource.Capability;
import org.osgi.resource.Requirement;
import org.osgi.resource.Resource;
import org.tamanoir.service.platform.Platform;

/**
 * Whether a bundle's requirements (OSGi Core 8, chapter 3) are met by {@link NodeOffer} and by the bundle itself. No other bundle
 * counts: a node has no more than the services that its streams name.
 */
final class Resolution {
    private static final String PACKAGE = "osgi.wiring.package";
    private static final String NATIVE = "osgi.native";
    /** What a bundle may offer to itself. */
    private static final Set<String> OWN = Set.of(PACKAGE, "osgi.service");
    /** Refused by their headers. */
    private static final Set<String> BUNDLES = Set.of("osgi.wiring.bundle", "osgi.wiring.host");
    /** A longer name is no misspelt one. */
    private static final int LONGEST_PACKAGE = 120;

    private final BundleContent content;
    private final Domain headers;
    private final Faults faults;

    Resolution(BundleContent content, Domain headers, Faults faults) {
        this.content = content;
        this.headers = headers;
        this.faults = faults;
    }

    void check(Resource bundle) {
        checkHeaders();
        List<Capability> offered = new ArrayList<>(NodeOffer.capabilities());
        bundle.getCapabilities(null).stream().filter(each -> OWN.contains(each.getNamespace())).forEach(offered::add);
        for (Requirement needed : bundle.getRequirements(null)) {
            boolean optional = "optional".equals(needed.getDirectives().get("resolution"));
            if (optional || BUNDLES.contains(needed.getNamespace())) {
                continue;
            }
            if (needed.getNamespace().equals(NATIVE)) {
                checkNative(needed);
            } else if (ResourceUtils.findProviders(needed, offered).isEmpty()) {
                faults.add(() -> missing(needed));
            }
        }
    }

    private void checkHeaders() {
        for (String header : List.of("Require-Bundle", "Fragment-Host", "DynamicImport-Package")) {
            if (headers.get(header) != null) {
                faults.add(header + " is not for services: import packages, or carry them inside");
            }
        }
        for (String path : headers.getParameters("Bundle-ClassPath").keySet()) {
            if (!path.equals(".")) {
                faults.add("Bundle-ClassPath names " + path + ": put its classes into the bundle itself (-includepackage)");
            }
        }
        Attrs name = headers.getBundleSymbolicName().getValue();
        if ("true".equals(name.get("singleton:"))) {
            faults.add("Bundle-SymbolicName says singleton, so two versions cannot run side by side");
        }
        for (String exported : headers.getExportPackage().keySet()) {
            if (NodeOffer.version(exported).isPresent()) {
                faults.add("it exports " + exported + ", which is the node's own");
            }
        }
        Set<String> environments = headers.getParameters("Bundle-RequiredExecutionEnvironment").keySet();
        if (!environments.isEmpty() && environments.stream().noneMatch(Resolution::isOffered)) {
            faults.add("Bundle-RequiredExecutionEnvironment is " + String.join(", ", environments) + ", and nodes have Java " + Platform.JAVA);
        }
        for (String path : headers.getParameters("Bundle-NativeCode").keySet()) {
            String file = Processor.removeDuplicateMarker(path);
            if (!file.equals("*") && !content.entries().contains(file.startsWith("/") ? file.substring(1) : file)) {
                faults.add("Bundle-NativeCode names " + file + ", which is not in the bundle");
            }
        }
    }

    private static boolean isOffered(String environment) {
        EE named = EE.parse(environment);
        return named != null && named.compareTo(EE.getEEFromReleaseVersion(Platform.JAVA)) <= 0;
    }

    private void checkNative(Requirement needed) {
        for (Capability processor : NodeOffer.processors()) {
            if (ResourceUtils.findProviders(needed, List.of(processor)).isEmpty()) {
                List<?> names = (List<?>) processor.getAttributes().get("osgi.native.processor");
                faults.add("Bundle-NativeCode has nothing for Linux on " + names.get(0)
                        + ": carry a library for it, or end the header with ',*' if the service can do without");
            }
        }
    }

    private String missing(Requirement needed) {
        String filter = needed.getDirectives().get("filter");
        if (needed.getAttributes().get(PACKAGE) instanceof String name) {
            return missingPackage(name, filter);
        }
        return "it requires " + needed.getNamespace() + " " + filter + ", and " + switch (needed.getNamespace()) {
            case "osgi.ee" -> "nodes have Java " + Platform.JAVA;
            case "osgi.extender" -> "nodes have osgi.component 1.5";
            case "osgi.service" -> "neither a node nor the bundle itself offers such a service";
            default -> "no node offers it";
        };
    }

    private String missingPackage(String name, String filter) {
        Parameters imports = headers.getImportPackage();
        String range = imports.get(name) == null ? null : imports.get(name).getVersion();
        String said = "it imports " + name + (range == null ? "" : " " + range);
        String version = NodeOffer.version(name).orElse(null);
        if (version != null) {
            return said + ", and nodes offer " + (version.equals("0.0.0") ? "Java's own, which has no version" : version)
                    + (range == null ? " and nothing with " + filter : "");
        }
        if (headers.getExportPackage().containsKey(name)) {
            return said + ", and exports another version";
        }
        if (content.carries(name)) {
            return said + " and carries it: leave the import out";
        }
        String nearest = name.length() > LONGEST_PACKAGE ? null : NodeOffer.nearest(name).orElse(null);
        return said + ", which no node offers" + (nearest == null ? "" : "; the nearest is " + nearest + version(nearest));
    }

    private static String version(String offered) {
        return NodeOffer.version(offered).filter(version -> !version.equals("0.0.0")).map(version -> " " + version).orElse("");
    }
}
