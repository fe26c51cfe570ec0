package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;

/** Sees to it that the laboratory and the peers' programs are there. */
final class SystemPackages {
    private static final List<Path> LIBRARIES = List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"));
    private static final String NORM_LIBRARY = "libnorm.so.1";

    private SystemPackages() {
    }

    /**
     * Installs what is missing for some systems, if this process is root.
     *
     * @throws AnepException (EE-504) that names what to do, if it is not
     */
    static void require(List<SystemKind> kinds) {
        LabRequirements lab = LabRequirements.check().installMissing();
        List<String> packages = missing(kinds);
        if (!lab.root()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, lab.explain()
                    + (packages.isEmpty() ? "" : " It also needs: apt-get install " + String.join(" ", packages)));
        }
        if (!lab.met()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, lab.explain());
        }
        if (!packages.isEmpty()) {
            DebianPackages.install(packages, packages.stream().filter(List.of("uftp", "smcroute")::contains).toArray(String[]::new));
        }
    }

    /** Debian's packages that some systems need and that are not installed. */
    static List<String> missing(List<SystemKind> kinds) {
        List<String> packages = new ArrayList<>();
        if (!LabRequirements.has("ethtool")) {
            packages.add("ethtool");
        }
        if (kinds.stream().anyMatch(kind -> !kind.isOwn()) && !LabRequirements.has("smcrouted")) {
            packages.add("smcroute");
        }
        if (kinds.contains(SystemKind.NORM) && !hasNorm()) {
            packages.add("libnorm1");
        }
        if (kinds.contains(SystemKind.UFTP) && !LabRequirements.has("uftp")) {
            packages.add("uftp");
        }
        return packages;
    }

    /** A library lies in the folder of its architecture. */
    private static boolean hasNorm() {
        return LIBRARIES.stream().flatMap(SystemPackages::folders).anyMatch(folder -> Files.exists(folder.resolve(NORM_LIBRARY)));
    }

    private static Stream<Path> folders(Path parent) {
        try (Stream<Path> children = Files.list(parent)) {
            return Stream.concat(Stream.of(parent), children.filter(Files::isDirectory).toList().stream());
        } catch (IOException e) {
            return Stream.empty();
        }
    }
}
