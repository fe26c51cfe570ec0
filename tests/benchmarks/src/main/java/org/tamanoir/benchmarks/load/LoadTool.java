package org.tamanoir.benchmarks.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.NativeTool;

/** The program that makes the load, compiled on this machine. */
public final class LoadTool {
    /** Beyond its time, until a client must have ended. */
    private static final Duration MARGIN = Duration.ofSeconds(20);

    private final Path program;

    private LoadTool(Path program) {
        this.program = program;
    }

    /** Compiles it where its sources are newer than it. @throws LabException if there is no compiler, or it cannot be compiled */
    public static LoadTool make() {
        return new LoadTool(NativeTool.make("tests/benchmarks", "", "tamanoir-load"));
    }

    /**
     * What a client is to do.
     *
     * @param what        {@code udp-window}, …: the program's usage lists them
     * @param entry       where packets are sent: the server, or a node
     * @param destination what packets name as theirs
     * @param octets      of a packet
     * @param duration    how long it counts
     * @param warm        how long it runs before that
     * @param hops        that an answer must have; {@link #ANY_HOPS}: whatever it has
     * @param window      packets under way
     * @param intact      whether every octet of every answer is compared
     * @param flow        Type ID and session of the packets, if they are not the preset ones
     */
    public record Client(String what, InetSocketAddress entry, InetAddress destination, int octets, Duration duration, Duration warm, int hops,
            int window, boolean intact, String... flow) {
        public static final int ANY_HOPS = -1;

        private String[] arguments() {
            List<String> arguments = new ArrayList<>(List.of(what, entry.getAddress().getHostAddress(), Integer.toString(entry.getPort()),
                    destination.getHostAddress(), Integer.toString(octets), seconds(duration), seconds(warm), Integer.toString(hops),
                    Integer.toString(window), intact ? "check" : "echo"));
            arguments.addAll(List.of(flow));
            return arguments.toArray(String[]::new);
        }

        private static String seconds(Duration duration) {
            return Double.toString(duration.toMillis() / 1000.0);
        }
    }

    /** Lets a client run to its end. @return what it says @throws LabException with what it says if it fails */
    public LoadFigures run(Host host, String cpus, Client client) {
        Command.Result result = host.tryRun(client.duration.plus(client.warm).plus(MARGIN), command(cpus, client).toArray(String[]::new));
        if (result.exit() != 0) {
            throw new LabException(result.errors().strip());
        }
        return LoadFigures.of(result.output());
    }

    /** The command line of a client. */
    public List<String> command(String cpus, Client client) {
        return command(cpus, client.arguments());
    }

    /** A command line of it, on some CPUs. @param cpus as {@code taskset -c} takes them */
    public List<String> command(String cpus, String... arguments) {
        List<String> command = new ArrayList<>(List.of("taskset", "-c", cpus, program.toString()));
        command.addAll(List.of(arguments));
        return command;
    }
}
