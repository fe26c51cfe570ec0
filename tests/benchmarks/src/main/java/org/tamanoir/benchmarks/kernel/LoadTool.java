package org.tamanoir.benchmarks.kernel;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;

/** The program that makes the load, compiled on this machine. */
public final class LoadTool {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Path program;

    private LoadTool(Path program) {
        this.program = program;
    }

    /**
     * Compiles it where its sources are newer than it.
     *
     * @throws AnepException (EE-504) if there is no compiler and this process cannot install one
     * @throws org.tamanoir.lab.LabException if it cannot be compiled
     */
    public static LoadTool make() {
        List<String> missing = new ArrayList<>();
        if (!LabRequirements.has("make")) {
            missing.add("make");
        }
        if (!LabRequirements.has("gcc")) {
            missing.addAll(List.of("gcc", "libc6-dev"));
        }
        if (!missing.isEmpty() && !LabRequirements.check().root()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, "the load is made by a C program: apt-get install " + String.join(" ", missing));
        }
        if (!missing.isEmpty()) {
            DebianPackages.install(missing);
        }
        Path module = CommandLineTool.checkout().resolve("tests").resolve("benchmarks");
        Path folder = module.resolve("target").resolve("load");
        Command.run(List.of("make", "-s", "CC=gcc", "-C", module.resolve("src/main/c").toString(), "O=" + folder), null, PATIENCE);
        return new LoadTool(folder.resolve("tamanoir-load"));
    }

    /** A command line of it, on some CPUs. @param cpus as {@code taskset -c} takes them */
    public List<String> command(String cpus, String... arguments) {
        List<String> command = new ArrayList<>(List.of("taskset", "-c", cpus, program.toString()));
        command.addAll(List.of(arguments));
        return command;
    }
}
