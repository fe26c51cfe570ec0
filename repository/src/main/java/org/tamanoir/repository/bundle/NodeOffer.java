package org.tamanoir.repository.bundle;

import aQute.bnd.build.model.EE;
import aQute.bnd.header.Attrs;
import aQute.bnd.header.Parameters;
import aQute.bnd.osgi.resource.ResourceBuilder;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.lang.module.ModuleFinder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.osgi.resource.Capability;
import org.tamanoir.service.platform.Platform;

/**
 * What every node offers to a bundle: the packages of {@link Platform}, those of Java SE, the execution environment, Declarative
 * Services, and the processors that nodes run on.
 */
final class NodeOffer {
    /** Of the newest class files that every node reads (JVM specification, table 4.1-A). */
    static final int CLASS_FILE = 44 + Platform.JAVA;
    /** felix.scr offers it in its own manifest. */
    private static final String EXTENDER = "osgi.extender;osgi.extender=\"osgi.component\";version:Version=\"1.5\"";
    /** Packages by name, with their versions. Java's have none. */
    private static final Map<String, String> PACKAGES = packages();
    private static final List<Capability> CAPABILITIES = capabilities(PACKAGES);
    private static final List<Capability> PROCESSORS = new ResourceBuilder().addProvideCapabilities(
            "osgi.native;osgi.native.osname:List<String>=\"Linux\";osgi.native.processor:List<String>=\"x86-64,amd64,em64t,x86_64\","
                    + "osgi.native;osgi.native.osname:List<String>=\"Linux\";osgi.native.processor:List<String>=\"aarch64\"");

    private NodeOffer() {
    }

    static List<Capability> capabilities() {
        return CAPABILITIES;
    }

    /** Of the namespace {@code osgi.native}, one for each kind of machine: Linux on x86-64 and on aarch64. */
    static List<Capability> processors() {
        return PROCESSORS;
    }

    /** The version of a package, empty if no node offers it. */
    static Optional<String> version(String packageName) {
        return Optional.ofNullable(PACKAGES.get(packageName));
    }

    /** The package that is meant by a name that is nearly right. */
    static Optional<String> nearest(String packageName) {
        String best = null;
        int least = Math.max(2, packageName.length() / 5) + 1;
        for (String offered : PACKAGES.keySet()) {
            int distance = Math.abs(offered.length() - packageName.length()) >= least ? least : distance(offered, packageName);
            if (distance < least) {
                least = distance;
                best = offered;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Levenshtein's: letters to put in, take out or change. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }

    private static List<Capability> capabilities(Map<String, String> packages) {
        ResourceBuilder builder = new ResourceBuilder();
        Parameters exports = new Parameters();
        packages.forEach((name, version) -> exports.add(name, Attrs.create("version", version)));
        builder.addExportPackages(exports);
        builder.addProvideCapabilities(EXTENDER);
        List<Capability> capabilities = new ArrayList<>(builder.getCapabilities());
        capabilities.addAll(EE.getEEFromReleaseVersion(Platform.JAVA).getResource().getCapabilities("osgi.ee"));
        return List.copyOf(capabilities);
    }

    /** What is in Java SE both here and in the release that bundles are made for. */
    private static Map<String, String> packages() {
        Map<String, String> packages = new TreeMap<>();
        Set<String> ofRelease = EE.getEEFromReleaseVersion(Platform.JAVA).getPackages().keySet();
        javaSe().forEach(module -> module.exports().stream().filter(export -> !export.isQualified())
                .map(ModuleDescriptor.Exports::source).filter(ofRelease::contains).forEach(name -> packages.put(name, "0.0.0")));
        packages.putAll(Platform.packages());
        return packages;
    }

    /** The modules that {@code java.se} stands for. */
    private static Set<ModuleDescriptor> javaSe() {
        ModuleFinder system = ModuleFinder.ofSystem();
        Set<ModuleDescriptor> modules = new HashSet<>();
        Deque<String> names = new ArrayDeque<>(List.of("java.base", "java.se"));
        while (!names.isEmpty()) {
            ModuleDescriptor module = system.find(names.pop())
                    .orElseThrow(() -> new IllegalStateException("this Java has no module java.se")).descriptor();
            if (modules.add(module)) {
                module.requires().stream().filter(each -> each.modifiers().contains(Modifier.TRANSITIVE))
                        .forEach(each -> names.push(each.name()));
            }
        }
        return modules;
    }
}
