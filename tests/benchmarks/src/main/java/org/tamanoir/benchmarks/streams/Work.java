package org.tamanoir.benchmarks.streams;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PostgresServer;

/** A load of ordinary programs, counted in something a second. */
enum Work {
    /** {@code ab}: a connection for each request. */
    CONNECTIONS("requests with a connection each") {
        @Override
        Map<String, Double> run(Chain chain, Duration time) {
            return requests(chain, time);
        }
    },
    /** {@code ab -k}: one request after the other on connections that stay. */
    KEEP_ALIVE("keep-alive requests") {
        @Override
        Map<String, Double> run(Chain chain, Duration time) {
            return requests(chain, time, "-k");
        }
    },
    /** {@code pgbench -S}: look-ups by key. */
    QUERIES("pgbench select") {
        @Override
        Map<String, Double> run(Chain chain, Duration time) {
            List<String> command = List.of(PostgresServer.program("pgbench").toString(), "--select-only", "--no-vacuum",
                    "--client", Integer.toString(AT_ONCE), "--time", seconds(time), "--host", Servers.HOST,
                    "--port", Integer.toString(chain.database().getPort()), "--username", "tester", "postgres");
            String output = output(command, time);
            if (figure("number of failed transactions: (\\d+)", output) > 0) {
                throw new LabException("queries failed:\n" + output);
            }
            return Map.of(RATE, figure("tps = ([0-9.]+)", output));
        }
    },
    /** One connection after the other: from its first step until an octet has come back. */
    FIRST_OCTET("first octet of a new stream") {
        @Override
        Map<String, Double> run(Chain chain, Duration time) {
            Histogram nanos = new Histogram(3);
            for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end;) {
                nanos.recordValue(NodeStart.firstOctet(chain.echo(), ByteBuffer.wrap(new byte[1])));
            }
            return Map.of("p50", nanos.getValueAtPercentile(50) / 1e3, "p99", nanos.getValueAtPercentile(99) / 1e3);
        }
    };

    /** Connections of a program at a time. */
    private static final int AT_ONCE = 8;
    private static final String RATE = "rate";
    /** More than are made in any time: ab keeps a record of 32 octets for each. */
    private static final String MOST = "2000000";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String text;

    Work(String text) {
        this.text = text;
    }

    /** For people. */
    String text() {
        return text;
    }

    /** What is found out: something a second, or microseconds. */
    List<String> metrics() {
        return this == FIRST_OCTET ? List.of("p50", "p99") : List.of(RATE);
    }

    Key key(String chain, String metric) {
        return this == FIRST_OCTET ? new Key(toString(), chain, 0, 1, metric, "us") : new Key(toString(), chain, 0, AT_ONCE, metric, "1/s");
    }

    /** A figure of one chain in parts of another's, of the same round. */
    Key ratio(String chain, String metric, String other) {
        return new Key(toString(), chain, 0, 0, metric + "-of-" + other, "ratio");
    }

    /** Runs it through a chain. @return a value of each of the metrics @throws LabException if a single connection failed */
    abstract Map<String, Double> run(Chain chain, Duration time);

    private static Map<String, Double> requests(Chain chain, Duration time, String... more) {
        List<String> command = new ArrayList<>(List.of("ab", "-q", "-r", "-t", seconds(time), "-n", MOST, "-c", Integer.toString(AT_ONCE)));
        command.addAll(List.of(more));
        command.add("http://" + Servers.HOST + ":" + chain.web().getPort() + "/");
        String output = output(command, time);
        if (figure("Failed requests:\\s+(\\d+)", output) > 0 || output.contains("Non-2xx")) {
            throw new LabException("requests failed:\n" + output);
        }
        return Map.of(RATE, figure("Requests per second:\\s+([0-9.]+)", output));
    }

    private static String output(List<String> command, Duration time) {
        return Command.run(command, null, time.plus(PATIENCE)).output();
    }

    private static double figure(String pattern, String output) {
        Matcher matcher = Pattern.compile(pattern).matcher(output);
        if (!matcher.find()) {
            throw new LabException("no figure '" + pattern + "' in:\n" + output);
        }
        return Double.parseDouble(matcher.group(1));
    }

    private static String seconds(Duration time) {
        return Long.toString(time.toSeconds());
    }

    /** As results name it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
