package org.tamanoir.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVMs of their own, the same as this one. */
final class Jvm {
    private Jvm() {
    }

    /**
     * Runs a class to its end, which must be a good one.
     *
     * @param prefix  of the command: setpriv, ip netns exec
     * @param options of the JVM
     * @return the lines that it wrote
     */
    static List<String> run(List<String> prefix, List<String> options, Class<?> main) throws Exception {
        return run(prefix, options, System.getProperty("java.class.path"), main);
    }

    /** The same, with a class path. */
    static List<String> run(List<String> prefix, List<String> options, String classPath, Class<?> main) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-Xmx64m", "-XX:-CreateCoredumpOnCrash", "-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
        return said.lines().toList();
    }
}
