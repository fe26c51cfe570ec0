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
        List<String> packages = missing(kinds.stream().map(RelayKind::program).distinct().toList());
        if (!lab.met()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, lab.explain()
                    + (lab.root() || packages.isEmpty() ? "" : " It also needs: apt-get install " + String.join(" ", packages)));
        }
        if (!packages.isEmpty()) {
            String[] services = packages.stream().map(name -> name.replace("nginx-light", "nginx"))
                    .filter(List.of("haproxy", "nginx")::contains).toArray(String[]::new);
            DebianPackages.install(packages, services);
        }
    }

    private static List<String> missing(List<String> programs) {
        List<String> packages = new ArrayList<>();
        for (String program : List.of("haproxy", "nginx", "socat")) {
            if (programs.contains(program) && !LabRequirements.has(program)) {
                packages.add(program.replace("nginx", "nginx-light"));
            }
        }
        if (programs.contains("nginx") && !Files.exists(Relays.NGINX_STREAM)) {
            packages.add("libnginx-mod-stream");
        }
        return packages;
    }
}
