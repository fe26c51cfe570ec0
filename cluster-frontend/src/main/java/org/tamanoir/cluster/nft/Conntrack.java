package org.tamanoir.cluster.nft;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The kernel's table of connections, by the program conntrack(8), in the network namespace of the thread that calls. Only entries of the connections
 * that are named are touched.
 */
final class Conntrack {
    private static final long PATIENCE_SECONDS = 10;
    private static final int LONGEST = 500;

    private Conntrack() {
    }

    /** Why it cannot be used, with the remedy; empty if it can. */
    static Optional<String> missing() {
        return program().isPresent() ? Optional.empty() : Optional.of("the program conntrack is missing: apt-get install conntrack");
    }

    /**
     * Counts connections.
     *
     * @param services by {@link TrackedConnections#service}
     * @param six      whether there are any over IPv6
     */
    static TrackedConnections flows(Set<String> services, boolean four, boolean six) {
        TrackedConnections flows = new TrackedConnections(services);
        if (four) {
            run(List.of("-L", "-f", "ipv4"), flows::add);
        }
        if (six) {
            run(List.of("-L", "-f", "ipv6"), flows::add);
        }
        return flows;
    }

    /** Asks for the number of all entries, to see whether it can be asked. */
    static void count() {
        run(List.of("-C"), line -> { });
    }

    /** Forgets connections. One that has gone in the meantime is no error. */
    static void forget(Reconcile.Eviction eviction) {
        TrackedConnections.Key key = eviction.key();
        List<String> command = new ArrayList<>(List.of("-D", "-f", key.address().indexOf(':') < 0 ? "ipv4" : "ipv6",
                "-p", RuleNames.of(key.transport()),
                "--orig-dst", key.address(), "--orig-port-dst", Integer.toString(key.port()),
                "--reply-src", key.to(), "--reply-port-src", Integer.toString(key.toPort())));
        if (eviction.openingOnly()) {
            command.addAll(List.of("--state", "SYN_SENT"));
        }
        run(command, line -> { });
    }

    private static void run(List<String> arguments, Consumer<String> lines) {
        List<String> command = new ArrayList<>();
        command.add(program().orElseThrow(() -> new AnepException(ErrorCode.NO_ENGINE, missing().orElse("conntrack has just gone"))));
        command.addAll(arguments);
        try {
            Process process = new ProcessBuilder(command).start();
            process.getOutputStream().close();
            process.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).whenComplete((ended, late) -> {
                if (late != null) {
                    process.destroyForcibly();
                }
            });
            read(process.getInputStream(), lines);
            // One line, which a pipe holds.
            StringBuilder said = new StringBuilder();
            read(process.getErrorStream(), line -> said.append(said.length() < LONGEST ? line : ""));
            // It ends with 1 where nothing matched.
            if (process.waitFor() != 0 && !said.toString().contains(" 0 flow entries")) {
                throw new AnepException(ErrorCode.DIRECTOR_REFUSED, String.join(" ", command) + " fails: " + said);
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, command.get(0) + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "interrupted while " + command.get(0) + " ran", e);
        }
    }

    private static void read(InputStream from, Consumer<String> lines) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.accept(line);
            }
        }
    }

    private static Optional<String> program() {
        return Stream.concat(Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":")), Stream.of("/usr/sbin", "/sbin"))
                .filter(directory -> !directory.isEmpty()).map(directory -> Path.of(directory, "conntrack")).filter(Files::isExecutable)
                .map(Path::toString).findFirst();
    }
}
