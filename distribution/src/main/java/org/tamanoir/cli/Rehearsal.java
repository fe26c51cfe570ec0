package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Does in one process, on loopback, what commands do in many: a repository, a node that fetches services while a stream waits, the two
 * ends of the stream, and questions to the node. The launcher runs it once after a build, for the class data that the JVM writes at the
 * end of it (AppCDS): what has been done here begins faster everywhere.
 */
final class Rehearsal {
    private static final int READY_SECONDS = 60;
    private static final int FILE_OCTETS = 300_000;

    private final Path directory;
    private final Path services;

    private Rehearsal(Path directory, Path services) {
        this.directory = directory;
        this.services = services;
    }

    /** @param arguments the directory with the bundles */
    public static void main(String[] arguments) throws Exception {
        Tamanoir.quickenNetty();
        Path directory = Files.createTempDirectory("tamanoir-rehearsal");
        int exit = Exit.FAILED;
        try {
            exit = new Rehearsal(directory, Path.of(arguments[0])).play();
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } finally {
                // The servers would stop in order, which is of no interest here.
                Runtime.getRuntime().halt(exit);
            }
        }
    }

    private int play() throws IOException, InterruptedException {
        String repository = serve("repository", "run", "--listen", "127.0.0.1:0", "--data", path("repository"));
        List<String> push = new ArrayList<>(List.of("service", "push", "--repository", repository));
        try (Stream<Path> jars = Files.list(services)) {
            jars.filter(jar -> jar.toString().endsWith(".jar")).forEach(jar -> push.add(jar.toString()));
        }
        int exit = run(push.toArray(String[]::new));
        Path configuration = Files.writeString(directory.resolve("node.yaml"), "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\ndevelopment: true\n"
                + "repositories: [" + repository + "]\ndata: " + path("node") + "\n");
        Console node = new Console();
        String[] ready = node.serve("node", "run", "--config", configuration.toString());
        String via = ready[2].substring("anep://".length());
        Path file = Files.write(directory.resolve("file"), new byte[FILE_OCTETS]);
        for (String transport : List.of("--json", "--udp")) {
            Console receiver = new Console();
            String to = receiver.serve("receive", "--listen", "127.0.0.1:0", "--output", path("received"), transport)[2];
            exit = Math.max(exit, run("send", "--via", via, "--to", to, "--service", "monitoring,compression,forward", "--rate", "100M", transport,
                    file.toString()));
        }
        for (String question : List.of("status", "services", "streams", "routes")) {
            exit = Math.max(exit, run("node", question, "--node", ready[4]));
        }
        return exit;
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private static String serve(String... arguments) throws InterruptedException {
        return new Console().serve(arguments)[2];
    }

    private static int run(String... arguments) {
        return new Console().execute(arguments);
    }

    /** Where a command prints. */
    private static final class Console extends StringWriter {
        private final CountDownLatch ready = new CountDownLatch(1);

        int execute(String... arguments) {
            int exit = Tamanoir.commandLine().setOut(new PrintWriter(this)).setErr(new PrintWriter(this)).execute(arguments);
            if (exit != Exit.DONE) {
                System.err.println(String.join(" ", arguments) + ": " + this);
            }
            return exit;
        }

        /** Runs a command beside this thread. @return the words of its line READY */
        String[] serve(String... arguments) throws InterruptedException {
            Thread thread = new Thread(() -> execute(arguments), "tamanoir-rehearsal");
            thread.setDaemon(true);
            thread.start();
            if (!ready.await(READY_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("never ready: " + String.join(" ", arguments) + ": " + this);
            }
            return toString().lines().filter(line -> line.startsWith("READY")).findFirst().orElseThrow().split(" ");
        }

        @Override
        public void flush() {
            if (toString().contains("READY ")) {
                ready.countDown();
            }
        }
    }
}
