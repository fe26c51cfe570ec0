package org.tamanoir.benchmarks.streams;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.benchmarks.process.PostgresServer;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/** A load of ordinary programs, counted in something a second. */
enum Work {
    /** {@code ab}: a connection for each request. */
    CONNECTIONS("requests with a connection each") {
        @Override
        double run(Chain chain, Duration time) {
            return requests(chain.web(), time);
        }
    },
    /** {@code ab -k}: one request after the other on connections that stay. */
    KEEP_ALIVE("keep-alive requests") {
        @Override
        double run(Chain chain, Duration time) {
            return requests(chain.web(), time, "-k");
        }
    },
    /** {@code pgbench -S}: look-ups by key. */
    QUERIES("pgbench select") {
        @Override
        double run(Chain chain, Duration time) {
            List<String> command = List.of(PostgresServer.program("pgbench").toString(), "--select-only", "--no-vacuum", "--client", Integer.toString(AT_ONCE), "--time",
                    seconds(time), "--host", Servers.HOST, "--port", Integer.toString(chain.database().getPort()), "--username", "tester", "postgres");
            String output = output(command, time);
            if (figure("number of failed transactions: (\\d+)", output) > 0) {
                throw new LabException("queries failed:\n" + output);
            }
            return figure("tps = ([0-9.]+)", output);
        }
    };

    /** Connections of a program at a time. */
    static final int AT_ONCE = 8;
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

    /** Runs it through a chain. @return how many a second @throws LabException if a single one failed */
    abstract double run(Chain chain, Duration time);

    private static double requests(InetSocketAddress web, Duration time, String... more) {
        List<String> command = new ArrayList<>(List.of("ab", "-q", "-r", "-t", seconds(time), "-n", MOST, "-c", Integer.toString(AT_ONCE)));
        command.addAll(List.of(more));
        command.add("http://" + Servers.HOST + ":" + web.getPort() + "/");
        String output = output(command, time);
        if (figure("Failed requests:\\s+(\\d+)", output) > 0 || output.contains("Non-2xx")) {
            throw new LabException("requests failed:\n" + output);
        }
        return figure("Requests per second:\\s+([0-9.]+)", output);
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
