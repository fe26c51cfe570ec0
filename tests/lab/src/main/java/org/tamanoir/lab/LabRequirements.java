package org.tamanoir.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a laboratory needs, and what of it is missing here. A test skips itself with the reason:
 *
 * <pre>{@code
 * LabRequirements requirements = LabRequirements.check();
 * Assumptions.assumeTrue(requirements.met(), requirements.explain());
 * }</pre>
 *
 * @param root       whether this process is root
 * @param namespaces whether it can make network namespaces (a container may forbid it; false where it was not tried)
 * @param packages   Debian's packages whose programs are missing
 */
public record LabRequirements(boolean root, boolean namespaces, List<String> packages) {
    private static final List<String> PATH = Arrays.asList(
            (System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/bin:/sbin:/bin").split(":"));

    /** Looks at this machine. Costs two short processes where everything is there. */
    public static LabRequirements check() {
        boolean root = isRoot();
        List<String> packages = new ArrayList<>();
        if (!has("ip") || !has("tc")) {
            packages.add("iproute2");
        }
        if (!has("nft")) {
            packages.add("nftables");
        }
        return new LabRequirements(root, root && packages.isEmpty() && canMakeNamespaces(), List.copyOf(packages));
    }

    static boolean isRoot() {
        try {
            return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a program is installed. */
    public static boolean has(String program) {
        return PATH.stream().anyMatch(directory -> !directory.isEmpty() && Files.isExecutable(Path.of(directory, program)));
    }

    private static boolean canMakeNamespaces() {
        return Command.tryRun(List.of("unshare", "--net", "true"), null, Duration.ofSeconds(10)).exit() == 0;
    }

    public boolean met() {
        return root && namespaces && packages.isEmpty();
    }

    /** @throws LabException that says what is missing */
    public void orThrow() {
        if (!met()) {
            throw new LabException(explain());
        }
    }

    /** What is missing and what to do about it, in one sentence each; empty if nothing is. */
    public String explain() {
        List<String> said = new ArrayList<>();
        if (!root) {
            said.add("The laboratory makes network namespaces: run it as root (sudo).");
        }
        if (!packages.isEmpty()) {
            said.add("Programs are missing: apt-get install " + String.join(" ", packages));
        }
        if (root && packages.isEmpty() && !namespaces) {
            said.add("This machine lets root make no network namespaces: in a container give it CAP_SYS_ADMIN and CAP_NET_ADMIN.");
        }
        return String.join(" ", said);
    }

    /**
     * Installs the missing packages, if this process is root.
     *
     * @return what is still missing
     */
    public LabRequirements installMissing() {
        if (!root || packages.isEmpty()) {
            return this;
        }
        DebianPackages.install(packages);
        return check();
    }
}
