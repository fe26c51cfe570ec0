package org.tamanoir.cli;

import ch.qos.logback.classic.LoggerContext;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import org.tamanoir.cli.demo.ThrowawayPublisher;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Does in one process, on loopback, what commands do in many: signs bundles, runs a repository, a node that fetches services from it
 * while a stream waits, another that fetches them from the first, the two ends of the stream, and asks the nodes. Then it copies a file
 * from a mover, starts a queue of transfers and an observatory, and sends to a group. The launcher runs it once after a build, for the
 * class data that the JVM writes at the end of it (AppCDS): what has been done here begins faster everywhere.
 */
final class Rehearsal {
    private static final int READY_SECONDS = 60;
    private static final String SCHEME = "anep://";
    private static final int FILE_OCTETS = 300_000;
    /** Sent as datagrams: what the socket of a receiver holds that is only just learning to receive. */
    private static final int FEW_OCTETS = 60_000;
    /** For the interface of loopback; with a port that is not the preset one, so that it meets no session that somebody has there. */
    private static final String GROUP = "239.195.83.7:15405";

    private final Path directory;
    private final Path services;

    private Rehearsal(Path directory, Path services) {
        this.directory = directory;
        this.services = services;
    }

    /** @param arguments the directory with the bundles, and one to write the texts into that commands print without having done anything */
    public static void main(String[] arguments) throws Exception {
        Tamanoir.run("--version");
        Path directory = Files.createTempDirectory("tamanoir-rehearsal");
        // SQLite's library would stay where temporary files are: this process does not end in order.
        System.setProperty("org.sqlite.tmpdir", directory.toString());
        int exit = ExitCode.FAILED;
        try {
            if (arguments.length > 1) {
                writeTexts(Files.createDirectories(Path.of(arguments[1])));
            }
            exit = new Rehearsal(directory, Path.of(arguments[0])).play();
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
        } finally {
            // The servers still run, and would say that their files go.
            ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
            System.setErr(new PrintStream(OutputStream.nullOutputStream()));
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

    /** Help of each command, on a terminal and elsewhere, and the version: what the launcher prints without Java. */
    private static void writeTexts(Path into) throws IOException {
        Files.writeString(into.resolve("version.txt"), String.join("\n", new Version().getVersion()) + "\n");
        writeHelp(into, "tamanoir", Tamanoir.commandLine());
    }

    private static void writeHelp(Path into, String name, CommandLine command) throws IOException {
        Files.writeString(into.resolve(name + ".txt"), command.getUsageMessage(Ansi.OFF));
        Files.writeString(into.resolve(name + ".ansi"), command.getUsageMessage(Ansi.ON));
        for (Map.Entry<String, CommandLine> each : command.getSubcommands().entrySet()) {
            writeHelp(into, name + "-" + each.getKey(), each.getValue());
        }
    }

    private int play() throws IOException, InterruptedException {
        ThrowawayPublisher publisher = new ThrowawayPublisher(directory.resolve("publisher"));
        publisher.makeKey();
        String trust = publisher.trust().toString();
        String repository = serve("repository", "run", "--listen", "127.0.0.1:0", "--data", path("repository"), "--trust", trust);
        List<String> push = new ArrayList<>(List.of("service", "push", "--repository", repository));
        try (Stream<Path> jars = Files.list(services)) {
            jars.filter(jar -> jar.toString().endsWith(".jar")).forEach(jar -> push.add(publisher.sign(jar).toString()));
        }
        int exit = run(push.toArray(String[]::new));
        String last = node("last", "trust: " + trust + "\n")[2].substring(SCHEME.length());
        String[] first = node("first", "trust: " + trust + "\nrepositories: [\"" + repository + "\"]\nroutes: {127.0.0.0/8: \"" + last + "\"}\n");
        Path file = Files.write(directory.resolve("file"), new byte[FILE_OCTETS]);
        Path few = Files.write(directory.resolve("few"), new byte[FEW_OCTETS]);
        for (String transport : List.of("--json", "--udp")) {
            Console receiver = new Console();
            String to = receiver.serve("receive", "--listen", "127.0.0.1:0", "--output", path("received"), transport)[2];
            exit = Math.max(exit, run("send", "--via", first[2].substring(SCHEME.length()), "--to", to, "--service", "monitoring,compression,forward",
                    "--rate", "100M", transport, (transport.equals("--udp") ? few : file).toString()));
        }
        for (String question : List.of("status", "services", "streams", "routes")) {
            exit = Math.max(exit, run("node", question, "--node", first[4]));
        }
        String mover = serve("mover", "run", "--read-only", "--listen", "127.0.0.1:0", "--root", directory.toString());
        exit = Math.max(exit, run("copy", "tam://" + mover + "/file", path("copied")));
        serve("transfer", "run", "--listen", "127.0.0.1:0", "--data", path("transfers"));
        serve("observatory", "run", "--listen", "127.0.0.1:0", "--data", path("observatory"));
        serve("multicast", "receive", "--group", GROUP, "--interface", "lo", "--output", path("members"));
        return Math.max(exit, run("multicast", "send", "--group", GROUP, "--interface", "lo", "--expect", "1", "--rate", "100M", "--patience", "5s", file.toString()));
    }

    /** Runs a node. @return the words of its line READY */
    private String[] node(String name, String more) throws IOException, InterruptedException {
        Path configuration = Files.writeString(directory.resolve(name + ".yaml"), "listen: 127.0.0.1:0\n" + more);
        return new Console().serve("node", "run", "--config", configuration.toString(), "--data", path(name));
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
            if (exit != ExitCode.DONE) {
                System.err.println(String.join(" ", arguments) + ": " + this);
            }
            return exit;
        }

        /** Runs a command beside this thread. @return the words of its line READY @throws IllegalStateException if it ends without one, or says none in time */
        String[] serve(String... arguments) throws InterruptedException {
            Thread thread = new Thread(() -> {
                execute(arguments);
                ready.countDown();
            }, "tamanoir-rehearsal");
            thread.setDaemon(true);
            thread.start();
            ready.await(READY_SECONDS, TimeUnit.SECONDS);
            return toString().lines().filter(line -> line.startsWith("READY")).findFirst()
                    .orElseThrow(() -> new IllegalStateException("never ready: " + String.join(" ", arguments) + ": " + this)).split(" ");
        }

        @Override
        public void flush() {
            if (toString().contains("READY ")) {
                ready.countDown();
            }
        }
    }
}
