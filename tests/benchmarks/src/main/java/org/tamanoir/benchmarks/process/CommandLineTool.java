package org.tamanoir.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.Tamanoir;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.NativeTool;

/**
 * The project's command line as a program of its own: what a bench starts is what a user starts. The JVM gets the options that this one
 * got, which are those of the launcher, or those that somebody names.
 */
public final class CommandLineTool {
    static final String LIBRARIES = "distribution/target/app/lib";
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final String ARCHIVE = "-XX:SharedArchiveFile=";
    private static final List<String> OWN = ManagementFactory.getRuntimeMXBean().getInputArguments();

    private CommandLineTool() {
    }

    /** A command line: {@code command("node", "run", "--listen", …)}. */
    public static List<String> command(String... arguments) {
        return command(OWN, arguments);
    }

    /** The same with more options of the JVM. */
    public static List<String> commandWith(List<String> more, String... arguments) {
        return command(Command.append(OWN, more), arguments);
    }

    /** The same in a JVM with these options. */
    public static List<String> command(List<String> jvm, String... arguments) {
        return java(jvm, Classes.OPTIONS, Tamanoir.class.getName(), arguments);
    }

    /** Another main class of this class path, in a JVM with the options of this one. */
    public static List<String> java(Class<?> main, String... arguments) {
        return java(OWN, List.of("-cp", System.getProperty("java.class.path")), main.getName(), arguments);
    }

    private static List<String> java(List<String> jvm, List<String> classes, String main, String... arguments) {
        return Stream.of(List.of(JAVA), jvm, classes, List.of(main), List.of(arguments)).flatMap(List::stream).toList();
    }

    /** A command line of another build, with its own class data where it has some: this JVM's belong to this class path. */
    static List<String> ofBuild(Path checkout, String... arguments) {
        Path archive = checkout.resolve("distribution/target/app/classes-" + Runtime.version().feature() + ".jsa");
        Stream<String> options = OWN.stream().filter(option -> !option.startsWith(ARCHIVE) && !option.startsWith("-Xshare:"));
        Stream<String> data = Files.exists(archive) ? Stream.of(ARCHIVE + archive, "-Xshare:auto") : Stream.empty();
        return java(Stream.concat(options, data).toList(), List.of("-cp", classPath(jars(checkout))), Tamanoir.class.getName(), arguments);
    }

    /** In the order of the launcher, without which the class data are not used. */
    private static List<Path> jars(Path checkout) {
        try (Stream<Path> files = Files.list(checkout.resolve(LIBRARIES))) {
            return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String classPath(List<Path> jars) {
        return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * The bundle of a service as the build left it.
     *
     * @throws AnepException (EE-407) if there is none
     */
    public static Path bundle(String service) {
        return bundle(checkout(), service);
    }

    static Path bundle(Path checkout, String service) {
        Path folder = checkout.resolve("services").resolve(service).resolve("target");
        try (var jars = Files.newDirectoryStream(folder, service + "-*.jar")) {
            for (Path jar : jars) {
                return jar;
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "no bundles in " + folder + ": build first", e);
        }
        throw new AnepException(ErrorCode.NOT_FOUND, "no " + service + "-*.jar in " + folder + ": build first");
    }

    public static Path checkout() {
        return NativeTool.checkout();
    }

    /**
     * Where another JVM finds the program's classes: those of this one, with the class data of a rehearsal (AppCDS) that the launcher has made. Tests make
     * the same themselves, once a build: their two hundred processes start in two thirds of the processor time. The JVM takes it for jars only, which Maven
     * makes in the phase package; before that classes are read where the compiler has put them.
     */
    private static final class Classes {
        private static final Duration PATIENCE = Duration.ofSeconds(120);
        private static final List<String> OPTIONS = find();

        private static List<String> find() {
            String own = System.getProperty("java.class.path");
            Optional<String> launched = OWN.stream().filter(option -> option.startsWith(ARCHIVE)).findFirst();
            if (launched.isPresent()) {
                return with(launched.get(), own);
            }
            if (!isPackaged(own)) {
                return List.of("-cp", own);
            }
            Path build = checkout().resolve("distribution/target");
            try (FileChannel lock = FileChannel.open(build.resolve("rehearsal.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                List<Path> jars = jars(checkout());
                Path archive = build.resolve("rehearsal-" + Runtime.version().feature() + ".jsa");
                // Until the channel closes: other JVMs wait here.
                lock.lock();
                if (!isNewer(archive, jars)) {
                    rehearse(archive, classPath(jars));
                }
                return with(ARCHIVE + archive, classPath(jars));
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
            Command.Result result = Command.tryRun(java(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+IgnoreUnrecognizedVMOptions",
                    "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-XX:ArchiveClassesAtExit=" + archive),
                    List.of("-cp", classes), "org.tamanoir.cli.Rehearsal", archive.resolveSibling("app/services").toString()), null, PATIENCE);
            if (!Files.exists(archive)) {
                throw new LabException("the rehearsal has left no archive: " + result.output() + result.errors());
            }
        }
    }
}
