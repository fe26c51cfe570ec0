package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Whether this machine can be an IPVS director. */
public final class Ipvs {
    /** Of capabilities(7), in the bits of {@code CapEff}. */
    private static final int CAP_NET_ADMIN = 12;

    /**
     * The answer.
     *
     * @param usable whether the engine can run
     * @param why    in words: {@code the kernel has IPVS}, {@code the kernel has no IPVS (…)}, with the remedy where there is one
     */
    public record Check(boolean usable, String why) {
    }

    private Ipvs() {
    }

    /** Looks at the kernel, this process's capabilities and the programs. Loads the kernel's module if it is one and not there yet; changes nothing else. */
    public static Check check() {
        return check(Path.of("/proc"), SystemProgram.directories());
    }

    static Check check(Path proc, List<Path> programs) {
        if (!mayAdministrate(proc)) {
            return new Check(false, "this process has no CAP_NET_ADMIN: run the front-end as root, or give it AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW");
        }
        String missing = missing(proc, programs);
        if (missing != null) {
            return new Check(false, "the kernel has no IPVS (" + missing + ")");
        }
        for (List<String> program : List.of(List.of("ipvsadm", Ipvsadm.PACKAGE), List.of("keepalived", "keepalived"), List.of("nft", "nftables"))) {
            if (SystemProgram.find(programs, program.get(0)).isEmpty()) {
                return new Check(false, "the kernel has IPVS, but " + SystemProgram.missing(program.get(0), program.get(1)));
            }
        }
        return new Check(true, "the kernel has IPVS");
    }

    /** Why there is no IPVS; null if there is. */
    private static String missing(Path proc, List<Path> programs) {
        Path table = proc.resolve("net/ip_vs");
        if (Files.exists(table)) {
            return null;
        }
        String said = loadModule(proc, programs);
        return Files.exists(table) ? null : said;
    }

    private static String loadModule(Path proc, List<Path> programs) {
        try {
            String configured = Files.readString(proc.resolve("sys/kernel/modprobe")).strip();
            Path modprobe = !configured.isEmpty() && Files.isExecutable(Path.of(configured)) ? Path.of(configured)
                    : SystemProgram.find(programs, "modprobe").orElse(null);
            if (modprobe == null) {
                return "it is not built in, and there is no modprobe to load a module: apt-get install kmod";
            }
            SystemProgram.Ran ran = new SystemProgram(modprobe, ErrorCode.NO_ENGINE).tryRun(null, List.of("-q", "ip_vs"));
            return ran.exit() == 0 ? "its module ip_vs shows no table" : ran.said().isEmpty() ? "it has no module ip_vs" : ran.said();
        } catch (IOException e) {
            return "it loads no modules";
        } catch (AnepException e) {
            return e.text();
        }
    }

    private static boolean mayAdministrate(Path proc) {
        try {
            return Files.readAllLines(proc.resolve("self/status")).stream().filter(line -> line.startsWith("CapEff:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) >> CAP_NET_ADMIN & 1) == 1);
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }
}
