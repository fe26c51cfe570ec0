package org.tamanoir.lab;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Programs in C that belong to the project's tests, compiled on this machine from {@code src/main/c} of their module. */
public final class NativeTool {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private NativeTool() {
    }

    /**
     * Compiles a program where its sources are newer than it. As root it installs a compiler if there is none.
     *
     * @param module    from the root of the checkout: {@code tests/lab}
     * @param directory of its sources, in {@code src/main/c} of the module; empty for that one itself
     * @param program   the file that {@code make} makes there
     * @throws LabException if there is no compiler, or the program cannot be compiled; the message says why
     */
    public static Path make(String module, String directory, String program) {
        Path folder = checkout().resolve(module);
        return make(folder.resolve("src/main/c").resolve(directory), folder.resolve("target").resolve("tools"), List.of()).resolve(program);
    }

    /**
     * Runs the Makefile of a folder of C. As root it installs a compiler if there is none.
     *
     * @param sources  the folder
     * @param made     where it builds, given as {@code O}
     * @param more     targets and settings of it
     * @return where it has built
     * @throws LabException if there is no compiler, or something cannot be compiled; the message says why
     */
    public static Path make(Path sources, Path made, List<String> more) {
        DebianPackages.require("make", "make");
        // The headers of the C library are only recommended by the compiler's package, and such are not installed here.
        DebianPackages.require("gcc", "libc6-dev");
        DebianPackages.require("gcc", "gcc");
        Command.run(Command.append(List.of("make", "-s", "CC=gcc", "-C", sources.toString(), "O=" + made), more.toArray(String[]::new)), null, PATIENCE);
        return made;
    }

    /** The checkout: above this class, or above the current folder. */
    public static Path checkout() {
        for (Path start : List.of(ownPath(), Path.of("").toAbsolutePath())) {
            for (Path folder = start; folder != null; folder = folder.getParent()) {
                if (Files.isDirectory(folder.resolve("tests/lab/src/main/c"))) {
                    return folder;
                }
            }
        }
        throw new LabException("the checkout is needed, with its services and programs in C: run it there");
    }

    private static Path ownPath() {
        try {
            return Path.of(NativeTool.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new LabException("the class path holds an address that is none", e);
        }
    }
}
