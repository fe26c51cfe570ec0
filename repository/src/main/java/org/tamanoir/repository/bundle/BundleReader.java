package org.tamanoir.repository.bundle;

import aQute.bnd.header.Attrs;
import aQute.bnd.header.Parameters;
import aQute.bnd.osgi.Domain;
import aQute.bnd.osgi.Processor;
import aQute.bnd.version.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.platform.Platform;

/** Reads a file that may be a bundle. Its time and memory have bounds that depend on the file's size only. */
public final class BundleReader {
    /** The headers of all bundles are held in memory for the index. */
    private static final int MAX_HEADERS = 32 << 10;
    private static final Pattern SYMBOLIC_NAME = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");

    private BundleReader() {
    }

    /**
     * Checks the file and reads what it says about itself.
     *
     * @throws AnepException EE-401 if it is no valid bundle, EE-402 if it does not say which service it holds, EE-411 with everything that
     *     keeps nodes from running it, EE-650 to EE-652 or EE-658 if its module is none that nodes can run
     * @throws IOException if the file cannot be read
     */
    public static ServiceBundle read(Path file) throws IOException {
        BundleContent content = BundleZip.read(file);
        checkHeaders(content.manifest().getMainAttributes());
        try {
            Domain headers = Domain.domain(content.manifest());
            ServiceBundle bundle = describe(content.manifest(), headers);
            checkResolves(bundle, content, headers);
            return bundle;
        } catch (AnepException e) {
            throw e;
        } catch (RuntimeException e) {
            // bnd throws many kinds at headers that it cannot parse.
            throw refused("a header cannot be parsed: " + e.getMessage());
        } catch (StackOverflowError e) {
            throw refused("a filter in a header is nested too deeply");
        }
    }

    private static void checkResolves(ServiceBundle bundle, BundleContent content, Domain headers) {
        Faults faults = new Faults();
        new Resolution(content, headers, faults).check(BundleResource.of(headers));
        if (bundle.runtime() == null) {
            ServiceComponents.check(content, faults);
            ClassFiles.check(content, faults);
            faults.raise();
        } else {
            ModuleContent.check(bundle, content, headers, faults);
            faults.raise();
            ModuleContent.read(content);
        }
    }

    /**
     * What runs the service of a bundle that was read before.
     *
     * @return {@code wasm}; null for Java
     */
    public static String runtime(Manifest manifest) {
        return ServiceCapability.of(Domain.domain(manifest).getProvideCapability()).runtime();
    }

    private static void checkHeaders(Attributes main) {
        int size = 0;
        for (Map.Entry<Object, Object> header : main.entrySet()) {
            String value = header.getValue().toString();
            size += header.getKey().toString().length() + value.length();
            if (value.chars().anyMatch(Character::isISOControl)) {
                throw refused("the header " + header.getKey() + " holds a control character");
            }
        }
        if (size > MAX_HEADERS) {
            throw refused("its headers are longer than " + MAX_HEADERS + " characters");
        }
    }

    private static ServiceBundle describe(Manifest manifest, Domain domain) {
        // Without it a framework takes the bundle for one of OSGi R3, which has no capabilities.
        if (!"2".equals(domain.get("Bundle-ManifestVersion", "").strip())) {
            throw refused("Bundle-ManifestVersion is not 2");
        }
        Map.Entry<String, Attrs> symbolicName = domain.getBundleSymbolicName();
        if (symbolicName == null || !SYMBOLIC_NAME.matcher(symbolicName.getKey()).matches()) {
            throw refused("it has no valid Bundle-SymbolicName");
        }
        String text = domain.get("Bundle-Version", "").strip();
        if (!Version.isVersion(text)) {
            throw refused("it has no valid Bundle-Version");
        }
        Version version = Version.parseVersion(text);
        ServiceCapability service = ServiceCapability.of(domain.getProvideCapability());
        if (!service.version().equals(version)) {
            throw ServiceCapability.refused("the version of its service is " + service.version() + " and Bundle-Version is " + version);
        }
        if (!BundleResource.canBeIndexed(manifest)) {
            throw refused("its headers cannot be written into an index");
        }
        return new ServiceBundle(service.name(), service.typeId(), version.toString(), service.level(), service.onFailure(), service.affinity(), service.resume(), service.runtime(),
                symbolicName.getKey(), clauses(domain.getImportPackage()), clauses(domain.getExportPackage()),
                clauses(domain.getRequireCapability()), manifest);
    }

    private static List<String> clauses(Parameters parameters) {
        List<String> clauses = new ArrayList<>();
        parameters.forEach((name, attributes) -> {
            String detail = attributes.getVersion() != null ? attributes.getVersion() : attributes.get("filter:");
            clauses.add(Processor.removeDuplicateMarker(name) + (detail == null ? "" : " " + detail));
        });
        return List.copyOf(clauses);
    }

    private static AnepException refused(String why) {
        return new AnepException(ErrorCode.NOT_A_BUNDLE, "the file is no valid bundle: " + why);
    }

    /** Whether every node can read the class files of a bundle. */
    static final class ClassFiles {
        /** Classes for a newer Java in a jar for several releases (JEP 238), which an older one does not look at. */
        private static final Pattern RELEASE = Pattern.compile("META-INF/versions/(\\d{1,3})/.+");

        private ClassFiles() {
        }

        static void check(BundleContent content, Faults faults) {
            content.classes().forEach((entry, major) -> {
                if (major == 0) {
                    faults.add(entry + " is no class file");
                } else if (major > newest(entry)) {
                    faults.add(entry + " is for Java " + (major - 44) + ", and nodes have " + Platform.JAVA + ": compile with --release "
                            + Platform.JAVA);
                }
            });
        }

        private static int newest(String entry) {
            Matcher release = RELEASE.matcher(entry);
            return release.matches() ? Math.max(NodeOffer.CLASS_FILE, 44 + Integer.parseInt(release.group(1))) : NodeOffer.CLASS_FILE;
        }
    }
}
