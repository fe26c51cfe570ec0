package org.tamanoir.tests;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Class data of the program's rehearsal (AppCDS), as the launcher makes it: two hundred processes of these tests start in two thirds of the processor time. The
 * JVM takes it for a class path of jars only, which Maven gives after the phase package; in earlier phases classes are read where the compiler has put them.
 */
final class ClassArchive {
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final int PATIENCE_SECONDS = 120;
    private static final List<String> OPTIONS = find();

    private ClassArchive() {
    }

    /** Options of the JVM that name the program's classes, with the archive where there is one; the main class follows. */
    static List<String> options() {
        return OPTIONS;
    }

    private static List<String> find() {
        String all = System.getProperty("java.class.path");
        List<Path> entries = Arrays.stream(all.split(File.pathSeparator)).map(Path::of).filter(path -> !path.startsWith(TARGET)).toList();
        if (!entries.stream().allMatch(path -> Files.isRegularFile(path))) {
            return List.of("-cp", all);
        }
        String jars = entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        Path archive = TARGET.resolve("classes-" + Runtime.version().feature() + ".jsa");
        try (FileChannel channel = FileChannel.open(TARGET.resolve("classes.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // Until the channel closes: other JVMs of these tests wait here.
            channel.lock();
            if (!isNewer(archive, entries)) {
                make(archive, jars);
            }
            return List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error,cds=off:stderr", "-cp", jars);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isNewer(Path archive, List<Path> entries) throws IOException {
        for (Path entry : entries) {
            if (!Files.exists(archive) || Files.getLastModifiedTime(entry).compareTo(Files.getLastModifiedTime(archive)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static void make(Path archive, String jars) throws IOException {
        Path services = Files.createTempDirectory("rehearsal");
        Files.deleteIfExists(archive);
        List<Path> bundles = List.of(services.resolve("forward.jar"), services.resolve("monitoring.jar"), services.resolve("compression.jar"));
        File output = TARGET.resolve("rehearsal.log").toFile();
        try {
            for (Path bundle : bundles) {
                Files.copy(Grid.bundle(bundle.getFileName().toString().replace(".jar", "")), bundle);
            }
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                    "-XX:+IgnoreUnrecognizedVMOptions", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
                    "-XX:ArchiveClassesAtExit=" + archive, "-cp", jars, "org.tamanoir.cli.Rehearsal", services.toString())
                    .redirectErrorStream(true).redirectOutput(output).start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("the rehearsal does not end, see " + output);
            }
            if (!Files.exists(archive)) {
                throw new IOException("the rehearsal has left no archive, see " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            for (Path bundle : bundles) {
                Files.deleteIfExists(bundle);
            }
            Files.delete(services);
        }
    }
}
