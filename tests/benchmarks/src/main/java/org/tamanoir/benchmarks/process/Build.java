package org.tamanoir.benchmarks.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A built checkout whose program is measured: this one, or another one beside it, such as the commit before. Another build is driven by its
 * command line and by what goes over the wire alone, so it may be of any age.
 *
 * @param name     as results name it
 * @param checkout its folder; null for the build that this program is of
 */
public record Build(String name, Path checkout) {
    /** The build that this program is of. */
    public static Build own() {
        return new Build("now", null);
    }

    /**
     * Another one.
     *
     * @param checkout where {@code ./tamanoir} has built it
     * @throws IllegalArgumentException if it has not
     */
    public static Build before(Path checkout) {
        if (!Files.isDirectory(checkout.resolve(CommandLineTool.LIBRARIES))) {
            throw new IllegalArgumentException("no build in " + checkout + ": run ./tamanoir --version there first");
        }
        return new Build("before", checkout.toAbsolutePath().normalize());
    }

    /** A command line of its program, with the JVM options that this JVM got and the build's own class data where it has some. */
    public List<String> command(String... arguments) {
        return checkout == null ? CommandLineTool.command(arguments) : CommandLineTool.ofBuild(checkout, arguments);
    }

    /** The bundle of one of its services. */
    public Path bundle(String service) {
        return checkout == null ? CommandLineTool.bundle(service) : CommandLineTool.bundle(checkout, service);
    }

    @Override
    public String toString() {
        return name;
    }
}
