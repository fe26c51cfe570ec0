package org.tamanoir.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where another JVM finds the program's classes: those of this one, with the class data of a rehearsal (AppCDS) that the launcher has made. Tests make the same
 * themselves, once a build: their two hundred processes start in two thirds of the processor time. The JVM takes it for jars only, which Maven makes in the
 * phase package; before that classes are read where the compiler has put them.
 */
public final class ProgramClasses {
    private static final String ARCHIVE = "-XX:SharedArchiveFile=";
    private static final int PATIENCE_SECONDS = 120;
    private static final List<String> OPTIONS = find();

    private ProgramClasses() {
    }

    /** Options of the JVM; the main class of a command follows. */
    public static List<String> options() {
        return OPTIONS;
    }

    private static List<String> find() {
        String own = System.getProperty("java.class.path");
        Optional<String> launched = ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith(ARCHIVE)).findFirst();
        if (launched.isPresent()) {
            return with(launched.get(), own);
        }
        if (!isPackaged(own)) {
            return List.of("-cp", own);
        }
        Path build = CommandLineTool.checkout().resolve("distribution/target");
        try (Stream<Path> found = Files.list(build.resolve("app/lib"));
                FileChannel lock = FileChannel.open(build.resolve("rehearsal.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            List<Path> jars = found.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
            String classes = jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
            Path archive = build.resolve("rehearsal-" + Runtime.version().feature() + ".jsa");
            // Until the channel closes: other JVMs wait here.
            lock.lock();
            if (!isNewer(archive, jars)) {
                rehearse(archive, classes);
            }
            return with(ARCHIVE + archive, classes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> with(String archive, String classes) {
        return List.of(archive, "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error,cds=off:stderr", "-cp", classes);
    }

    /** Whether this is a test of a module, and all of the others are jars. */
    private static boolean isPackaged(String classPath) {
        String module = System.getProperty("basedir");
        return module != null && Arrays.stream(classPath.split(File.pathSeparator)).map(Path::of)
                .allMatch(entry -> entry.startsWith(Path.of(module, "target")) || Files.isRegularFile(entry));
    }

    private static boolean isNewer(Path archive, List<Path> jars) throws IOException {
        for (Path jar : jars) {
            if (!Files.exists(archive) || Files.getLastModifiedTime(jar).compareTo(Files.getLastModifiedTime(archive)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static void rehearse(Path archive, String classes) throws IOException {
        Files.deleteIfExists(archive);
        File output = archive.resolveSibling("rehearsal.log").toFile();
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:+IgnoreUnrecognizedVMOptions", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
                "-XX:ArchiveClassesAtExit=" + archive, "-cp", classes, "org.tamanoir.cli.Rehearsal", archive.resolveSibling("app/services").toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the rehearsal does not end, see " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
        if (!Files.exists(archive)) {
            throw new IOException("the rehearsal has left no archive, see " + output);
        }
    }
}
