package org.tamanoir.lab;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * The kernel of a {@link Director}, as something that modules are built for. Debian ships it without its headers; its source, of the same version, and its
 * configuration make them. The source is 140 MB to fetch, its part that is unpacked 120 MB, and all of it takes half a minute, once for a checkout.
 */
public final class UserModeKernel {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Path CONFIGURATION = Path.of("/usr/share/doc/user-mode-linux/config.gz");
    private static final Path SOURCE = Path.of("/usr/src/linux-source-6.1.tar.xz");
    /** What building a module reads: no drivers, no file systems. */
    private static final List<String> PARTS = List.of("Makefile", "Kbuild", "arch/um", "arch/x86", "include", "scripts", "kernel", "security", "tools/objtool",
            "tools/include", "tools/arch", "tools/lib", "tools/build", "tools/scripts", "lib/vdso");

    private UserModeKernel() {
    }

    /** Its release, as {@code uname -r} says it there. */
    public static String release() {
        DebianPackages.require("linux.uml", "user-mode-linux");
        return Command.run(List.of("linux.uml", "--version")).output().strip();
    }

    /**
     * The folder that modules for it are built with ({@code make -C}); made where it is not there, as root.
     *
     * @throws LabException if Debian has no source of its version, or it cannot be built
     */
    public static synchronized Path buildFolder() {
        String release = release();
        Path folder = NativeTool.checkout().resolve("tests/lab/target/linux-" + release);
        Path whole = folder.resolve("prepared");
        try {
            Files.createDirectories(folder.getParent());
            try (FileChannel lock = FileChannel.open(folder.resolveSibling("linux.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lock.lock();
                if (!Files.exists(whole)) {
                    prepare(release, folder);
                    Files.createFile(whole);
                }
            }
        } catch (IOException e) {
            throw new LabException("cannot prepare " + folder, e);
        }
        return folder;
    }

    /**
     * Builds modules for it, and what goes with them, by a Makefile that takes {@code KERNEL} and {@code KERNEL_ARCH}.
     *
     * @param sources from the root of the checkout
     * @param made    where to build, likewise
     * @param targets of the Makefile
     * @return where it has built
     * @throws LabException as {@link #buildFolder} and {@link NativeTool#make}
     */
    public static Path make(String sources, String made, String... targets) {
        List<String> more = Command.append(List.of(targets), "KERNEL=" + buildFolder(), "KERNEL_ARCH=um");
        return NativeTool.make(NativeTool.checkout().resolve(sources), NativeTool.checkout().resolve(made), more);
    }

    private static void prepare(String release, Path folder) {
        for (String program : List.of("make", "gcc", "flex", "bison", "bc", "xz")) {
            DebianPackages.require(program, program.equals("xz") ? "xz-utils" : program);
        }
        String installed = "dpkg-query -W -f '${Version}' linux-source-6.1 2>/dev/null || true";
        if (!Files.exists(SOURCE) || !Command.run(List.of("sh", "-c", installed)).output().startsWith(release + "-")) {
            DebianPackages.install(List.of("linux-source-6.1=" + version(release)));
        }
        StringBuilder script = new StringBuilder("set -e; rm -rf \"$1\"; mkdir -p \"$1\"; tar -xf \"$2\" -C \"$1\" --strip-components=1 --wildcards '*/Kconfig*'");
        PARTS.forEach(part -> script.append(" 'linux-source-6.1/").append(part).append('\''));
        script.append("; zcat \"$3\" >\"$1/.config\"; make -s -C \"$1\" ARCH=um LOCALVERSION= olddefconfig modules_prepare");
        Command.run(List.of("sh", "-c", script.toString(), "sh", folder.toString(), SOURCE.toString(), CONFIGURATION.toString()), null, PATIENCE);
    }

    /** The version of Debian's package whose source is that of a release. */
    private static String version(String release) {
        String ask = "apt-cache madison linux-source-6.1 | awk '{ print $3 }' | grep -m 1 '^" + release + "-'";
        String found = Command.tryRun(List.of("sh", "-c", ask + " || { apt-get update --quiet >/dev/null; " + ask + "; }"), null, PATIENCE).output().strip();
        if (found.isEmpty()) {
            throw new LabException("modules for user-mode Linux " + release + " cannot be built: apt-get has no linux-source-6.1 of that version");
        }
        return found;
    }
}
