package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.demo.Demo;
import org.tamanoir.cli.demo.DemoResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir demo}. */
@Command(name = "demo", mixinStandardHelpOptions = true,
        description = "Start a repository and two nodes on this machine, and send a real file through services that the nodes fetch on demand. Stops on its "
                + "own.",
        footer = {"", "Examples:", "  tamanoir demo", "  tamanoir demo --file /usr/share/dict/words --json", "  tamanoir demo --keep"})
final class DemoCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--file", paramLabel = "FILE", description = "The file to send. Default: lib/modules of this Java, some 130 MB.")
    private Path file = Path.of(System.getProperty("java.home"), "lib", "modules");

    @Option(names = "--keep", description = "Keep the nodes running until Ctrl-C, and print where to look at them.")
    private boolean keep;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no readable file " + file);
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Demo demo = new Demo()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(demo), "tamanoir-demo-stop"));
            Progress starting = new Progress(spec.commandLine().getErr(), "making a key, and starting a repository and two nodes");
            try (starting) {
                demo.start(bundles());
            }
            say(out, "A repository at %s and two nodes are running; sending %s (%s) …%n", demo.repository(), file,
                    Units.bytes(Files.size(file)));
            DemoResult result;
            Progress sending = new Progress(spec.commandLine().getErr(), "sending");
            try (sending) {
                result = demo.send(file);
            }
            if (json) {
                Json.print(out, result);
            } else {
                print(result, out);
            }
            if (!result.identical()) {
                throw new AnepException(ErrorCode.NOT_IDENTICAL, "what arrived is not what was sent");
            }
            if (keep) {
                ServerExit.untilStopped(json ? spec.commandLine().getErr() : out, String.format("%nLook at them: tamanoir node status --node %s%n              tamanoir node services --node %s%n"
                        + "Ctrl-C ends everything.", demo.firstAdmin(), demo.secondAdmin()), () -> close(demo));
            }
            return ExitCode.DONE;
        }
    }

    private void say(PrintWriter out, String text, Object... values) {
        if (!json) {
            out.printf(text, values);
            out.flush();
        }
    }

    private static void close(Demo demo) {
        try {
            demo.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The bundles that are installed beside the program. */
    private static List<Path> bundles() throws IOException {
        Path program = Path.of(DemoCommand.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        Path services = program.getParent().resolveSibling("services");
        try (Stream<Path> jars = Files.list(services)) {
            return jars.filter(jar -> jar.toString().endsWith(".jar")).sorted().toList();
        }
    }

    private static void print(DemoResult result, PrintWriter out) {
        out.println();
        Table table = new Table("NODE", "SERVICE", "VERSION", "CAME FROM", "SIGNED BY", "WAITED");
        for (DemoResult.Fetched service : result.services()) {
            table.row(service.node(), service.name(), service.version(), service.source(), service.publisher(), service.waitMillis() + " ms");
        }
        table.print(out);
        out.println();
        out.printf("the stream waited     %d ms for its services%n", result.streamWaitMillis());
        out.printf("into the first node   %,d octets%n", result.bytesIn());
        out.printf("between the nodes     %,d octets (%.1f %% of the file)%n", result.bytesWire(), 100.0 * result.bytesWire() / result.bytesIn());
        out.printf("out of the second     %,d octets%n", result.bytesOut());
        out.printf(Locale.ROOT, "in                    %.2f s: %s%n", result.seconds(), Units.bitRate(result.megabitsPerSecond() * 1e6));
        out.printf("SHA-256               %s%n", result.sha256());
        out.println(result.identical() ? "The file arrived identical." : "The file did NOT arrive identical.");
        out.flush();
    }
}
