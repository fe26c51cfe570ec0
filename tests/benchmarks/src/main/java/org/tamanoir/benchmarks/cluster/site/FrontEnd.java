package org.tamanoir.benchmarks.cluster.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/** {@code tamanoir frontend run} on a machine of a laboratory, asked and ended as its operator asks and ends it. Its program is that of this process. */
public final class FrontEnd {
    public static final int PORT = 3327;
    public static final String TOKEN = "between-us";
    private static final int ANSWER_MILLIS = 20_000;
    /** Between looks at it, first and at last: in user-mode Linux an answer costs many times what it costs elsewhere. */
    private static final int FIRST_POLL_MILLIS = 50;
    private static final int LAST_POLL_MILLIS = 500;

    private final FrontEndMachine machine;
    private final String name;
    private final String url;
    private final Host operator;
    private String file;
    private int starts;
    private int pid;

    /**
     * Not started yet.
     *
     * @param url      where back ends and the operator find it
     * @param operator the host of whoever asks it
     */
    public FrontEnd(FrontEndMachine machine, String name, String url, Host operator) {
        this.machine = machine;
        this.name = name;
        this.url = url;
        this.operator = operator;
    }

    public static String url(InetAddress address) {
        return "http://" + address.getHostAddress() + ":" + PORT;
    }

    public FrontEndMachine machine() {
        return machine;
    }

    /** Writes its file. @param keys besides its name, token, directory and where it listens */
    public FrontEnd configure(String keys) {
        String token = machine.write("token", TOKEN + "\n");
        file = machine.write("frontend.yaml", "name: " + name + "\nlisten: 0.0.0.0:" + PORT + "\ntoken-file: " + token + "\ndata: " + machine.directory()
                + "/frontend\n" + keys);
        return this;
    }

    /** Starts it and returns; see {@link #awaitReady}. @param arguments more of the command line */
    public FrontEnd start(String... arguments) {
        starts++;
        pid = machine.start(title(), command(arguments));
        return this;
    }

    /**
     * What starts it. In user-mode Linux a start costs seconds of processor time, a quarter of which goes into the file of the JVM's counters
     * (UsePerfData) and into compiling what runs a few times.
     *
     * @param arguments more of the command line
     */
    public List<String> command(String... arguments) {
        return Command.append(CommandLineTool.command(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=5",
                "-XX:-UsePerfData", "-Xmx128m", "-Djava.io.tmpdir=" + machine.directory(), "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"), "frontend", "run", "--config", file), arguments);
    }

    /** Returns when it serves. @throws LabException if it does not get ready; the message holds what it wrote */
    public FrontEnd awaitReady() {
        machine.awaitLine(title(), "READY frontend");
        return this;
    }

    private String title() {
        return "frontend" + starts;
    }

    /** SIGKILL. */
    public void kill() {
        end("-KILL");
    }

    /** SIGTERM; returns when it has ended. */
    public void end() {
        end("-TERM");
    }

    private void end(String signal) {
        machine.run("kill " + signal + " " + pid);
        await(() -> machine.run("kill -0 " + pid + " 2>&1 && echo runs || true").contains("No such process"), () -> "it still runs");
    }

    /** {@code GET /status}. @throws LabException if it does not answer */
    public JsonNode status() {
        try {
            return operator.inside(() -> {
                HttpURLConnection connection = (HttpURLConnection) URI.create(url + "/status").toURL().openConnection();
                // A connection that is kept would be used again from another host.
                connection.setRequestProperty("Connection", "close");
                connection.setRequestProperty("Authorization", "Bearer " + TOKEN);
                connection.setConnectTimeout(ANSWER_MILLIS);
                connection.setReadTimeout(ANSWER_MILLIS);
                try (InputStream in = connection.getInputStream()) {
                    return new ObjectMapper().readTree(in);
                }
            });
        } catch (Exception e) {
            throw new LabException("the front-end of " + name + ": " + e + machine.sayings().apply(title()), e);
        }
    }

    public JsonNode director() {
        return status().path("director");
    }

    /** {@code master}, {@code backup} or {@code alone}. */
    public String role() {
        return director().path("role").asText();
    }

    /** What it makes of a back end; a missing node if it knows none of that name. */
    public JsonNode backEnd(String called) {
        for (JsonNode each : status().path("pools").path(0).path("backEnds")) {
            if (each.path("name").asText().equals(called)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    /** Waits until it shows of a back end what is wanted. @throws LabException if that takes too long */
    public void await(String called, Predicate<JsonNode> wanted) {
        await(() -> wanted.test(backEnd(called)), () -> "of " + called + " in " + status() + machine.sayings().apply(title())
                + machine.run("ipvsadm -Ln 2>&1; nft list ruleset 2>&1; true"));
    }

    public void awaitIn(String called) {
        await(called, shown -> shown.path("standing").asText().equals("IN") && shown.path("answers").asBoolean());
    }

    /** Waits until no back end of some weighs more than so many times what another does. */
    public void awaitEven(List<String> called, double factor) {
        await(() -> {
            IntSummaryStatistics weights = called.stream().mapToInt(name -> backEnd(name).path("weight").asInt()).summaryStatistics();
            return weights.getMax() <= factor * weights.getMin();
        }, () -> "weights in " + status());
    }

    private void await(BooleanSupplier wanted, Supplier<String> seen) {
        long end = System.nanoTime() + FrontEndMachine.PATIENCE.toNanos();
        for (int pause = FIRST_POLL_MILLIS; !wanted.getAsBoolean(); pause = Math.min(LAST_POLL_MILLIS, pause * 3 / 2)) {
            if (System.nanoTime() > end) {
                throw new LabException("the front-end of " + name + ", after " + FrontEndMachine.PATIENCE.toSeconds() + " s: " + seen.get());
            }
            Pause.millis(pause);
        }
    }
}
