package org.tamanoir.benchmarks.relay;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;

/** Sees to it that the laboratory and the peers' programs are there. */
final class PeerPackages {
    private PeerPackages() {
    }

    /**
     * Installs what is missing for some systems, if this process is root.
     *
     * @throws AnepException (EE-504) that names what to do, if it is not
     */
    static void require(List<RelayKind> kinds) {
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
            DebianPackages.install(packages, services(packages));
        }
    }

    /** Debian's packages that some systems need and that are not installed. */
    static List<String> missing(List<RelayKind> kinds) {
        List<String> packages = new ArrayList<>();
        if (kinds.stream().anyMatch(RelayKind::isHaproxy) && !LabRequirements.has("haproxy")) {
            packages.add("haproxy");
        }
        if (kinds.stream().anyMatch(RelayKind::isNginx)) {
            if (!LabRequirements.has("nginx")) {
                packages.add("nginx-light");
            }
            if (!Files.exists(PeerRelay.NGINX_STREAM)) {
                packages.add("libnginx-mod-stream");
            }
        }
        if (kinds.contains(RelayKind.SOCAT) && !LabRequirements.has("socat")) {
            packages.add("socat");
        }
        return packages;
    }

    private static String[] services(List<String> packages) {
        return packages.stream().filter(name -> !name.startsWith("lib")).map(name -> name.equals("nginx-light") ? "nginx" : name)
                .toArray(String[]::new);
    }
}
