package org.tamanoir.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A built checkout whose program is measured: this one, or another one beside it, such as the commit before. Another build is driven by its
 * command line and by what goes over the wire alone, so it may be of any age.
 *
 * @param name     as results name it
 * @param checkout its folder
 */
public record Build(String name, Path checkout) {
    private static final String LIBRARIES = "distribution/target/app/lib";
    private static final String MAIN = "org.tamanoir.cli.Tamanoir";

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
        if (!Files.isDirectory(checkout.resolve(LIBRARIES))) {
            throw new IllegalArgumentException("no build in " + checkout + ": run ./tamanoir --version there first");
        }
        return new Build("before", checkout.toAbsolutePath().normalize());
    }

    /** A command line of its program, with the JVM options that this JVM got and the build's own class data where it has some. */
    public List<String> command(String... arguments) {
        if (checkout == null) {
            return CommandLineTool.command(arguments);
        }
        List<String> command = new ArrayList<>(CommandLineTool.jvm());
        Path archive = checkout.resolve("distribution/target/app/classes-" + Runtime.version().feature() + ".jsa");
        if (Files.exists(archive)) {
            command.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto"));
        }
        command.addAll(List.of("-cp", classPath(), MAIN));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The bundle of one of its services. */
    public Path bundle(String service) {
        return checkout == null ? CommandLineTool.bundle(service) : CommandLineTool.bundle(checkout, service);
    }

    /** In the order of the launcher, without which the class data are not used. */
    private String classPath() {
        try (Stream<Path> jars = Files.list(checkout.resolve(LIBRARIES))) {
            return jars.filter(jar -> jar.toString().endsWith(".jar")).sorted().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
