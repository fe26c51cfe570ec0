package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.Tamanoir;

/**
 * The project's command line as a program of its own: what a bench starts is what a user starts. The JVM gets the options that this one
 * got, which are those of the launcher.
 */
public final class CommandLineTool {
    private CommandLineTool() {
    }

    /** A command line: {@code command("node", "run", "--listen", …)}. */
    public static List<String> command(String... arguments) {
        return java(ProgramClasses.options(), Tamanoir.class, arguments);
    }

    /** Another main class of this class path, in a JVM with the same options. */
    public static List<String> java(Class<?> main, String... arguments) {
        return java(List.of("-cp", System.getProperty("java.class.path")), main, arguments);
    }

    private static List<String> java(List<String> classes, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(classes);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    /** The JVM with the options that this one got, without class data: those belong to a class path. */
    static List<String> jvm() {
        List<String> command = new ArrayList<>(List.of(java()));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-XX:SharedArchiveFile=") && !option.startsWith("-Xshare:")).forEach(command::add);
        return command;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
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

    /** The folder that holds {@code services}: above this class's jar, or above the current one. */
    public static Path checkout() {
        for (Path start : List.of(ownPath(), Path.of("").toAbsolutePath())) {
            for (Path folder = start; folder != null; folder = folder.getParent()) {
                if (Files.isDirectory(folder.resolve("services")) && Files.isRegularFile(folder.resolve("pom.xml"))) {
                    return folder;
                }
            }
        }
        throw new AnepException(ErrorCode.NOT_FOUND, "the benchmarks need the checkout with its services: run them there");
    }

    private static Path ownPath() {
        try {
            return Path.of(CommandLineTool.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AnepException(ErrorCode.INTERNAL, "the class path holds an address that is none", e);
        }
    }
}
