package org.tamanoir.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Commands as tests run them: in this process, or in one of their own. */
final class Launched {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();

    /** Runs a command on a thread of this process. */
    static Launched here(String... arguments) {
        Launched launched = new Launched();
        Thread thread = new Thread(() -> launched.exit.complete(Tamanoir.commandLine().setOut(new PrintWriter(launched.out, true))
                .setErr(new PrintWriter(launched.err, true)).execute(arguments)), String.join(" ", arguments));
        thread.setDaemon(true);
        thread.start();
        return launched;
    }

    int exit() throws Exception {
        return exit.get(60, TimeUnit.SECONDS);
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }

    /** The address in the line READY; waits for it. */
    String ready() throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            String line = out.toString() + err;
            int at = line.indexOf("READY ");
            int end = line.indexOf('\n', Math.max(0, at));
            if (at >= 0 && end > 0) {
                return line.substring(line.lastIndexOf(' ', end) + 1, end).trim();
            }
            Thread.sleep(10);
        }
        throw new AssertionError("never ready: " + out + err);
    }

    /** A process of its own, with the class path of this one. */
    static ProcessBuilder process(String... arguments) {
        return process(Tamanoir.class, arguments);
    }

    /** The same of another main class. With one compiler and without threads for its garbage: it is over soon. */
    static ProcessBuilder process(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(new File("/dev/null"));
    }

    /** The address in the line READY of a process. */
    static String ready(BufferedReader output) throws IOException {
        String line = output.readLine();
        if (line == null || !line.startsWith("READY ")) {
            throw new AssertionError("not ready but: " + line);
        }
        return line.substring(line.lastIndexOf(' ') + 1);
    }
}
