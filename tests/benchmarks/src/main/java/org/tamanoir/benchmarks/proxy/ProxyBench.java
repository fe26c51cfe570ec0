package org.tamanoir.benchmarks.proxy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.GatewayProcess;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/**
 * How long it takes from the connect of a program to the first octet of a server that speaks first, through a gateway and two nodes: with the
 * destination fixed, and asked for by SOCKS 5 and HTTP CONNECT at a proxy. One after the other, so that what changes on the machine changes it for all.
 */
public final class ProxyBench {
    private static final double MOST = 1.10;
    private static final int WARM_UP = 3000;

    private enum Way {
        FIXED, SOCKS, SOCKS_AT_ONCE, CONNECT;

        Key key(String metric, String unit) {
            return new Key("set-up", toString(), 0, 1, metric, unit);
        }

        @Override
        public String toString() {
            return name().toLowerCase().replace('_', '-');
        }
    }

    private final int rounds;
    private final int streams;
    private final Measurements measured;

    /** @param streams of each way in a round */
    public ProxyBench(int rounds, int streams, Consumer<String> progress) {
        this.rounds = rounds;
        this.streams = streams;
        this.measured = new Measurements(progress);
    }

    /** @throws LabException if a program does not start */
    public Report run() {
        try (Workbench workbench = new Workbench(); ServerSocket server = new ServerSocket(0, 512, InetAddress.getLoopbackAddress())) {
            greet(server);
            InetSocketAddress to = (InetSocketAddress) server.getLocalSocketAddress();
            Build build = Build.own();
            RepositoryProcess repository = RepositoryProcess.start(build, workbench, workbench.folder("repository"));
            repository.push("monitoring");
            NodeProcess last = NodeProcess.start(build, workbench, "127.0.0.1:0", workbench.folder("last"), "--repository", repository.url());
            NodeProcess first = NodeProcess.start(build, workbench, "127.0.0.1:0", workbench.folder("first"), "--repository", repository.url(),
                    "--route", "127.0.0.0/8=127.0.0.1:" + last.address().getPort());
            InetSocketAddress fixed = GatewayProcess.start(build, workbench, first.address(), to, "monitoring").address();
            InetSocketAddress proxy = GatewayProcess.start(build, workbench, first.address(), to, "monitoring", "--proxy", "--allow", "127.0.0.1").address();
            measured.doing("warm-up");
            round(WARM_UP, fixed, proxy, to);
            measured.rounds(0, rounds, round -> measured.attemptAny(Measurements.name(round), () -> add(round(streams, fixed, proxy, to))));
        } catch (IOException e) {
            throw new LabException("the server: " + e.getMessage(), e);
        }
        return measured.report(List.of(Target.atMost("set-up by SOCKS 5 of that to a fixed destination", measured.samples().median(Way.SOCKS.key("of-fixed", "ratio")), MOST)));
    }

    private void add(Map<Way, Double> medians) {
        medians.forEach((way, median) -> {
            measured.add(way.key("p50", "us"), median);
            measured.add(way.key("of-fixed", "ratio"), median / medians.get(Way.FIXED));
        });
    }

    private static Map<Way, Double> round(int each, InetSocketAddress fixed, InetSocketAddress proxy, InetSocketAddress to) throws IOException {
        Map<Way, long[]> nanos = new EnumMap<>(Way.class);
        for (int i = 0; i < each; i++) {
            for (Way way : Measurements.turned(List.of(Way.values()), i)) {
                long start = System.nanoTime();
                setUp(way, way == Way.FIXED ? fixed : proxy, to);
                nanos.computeIfAbsent(way, unused -> new long[each])[i] = System.nanoTime() - start;
            }
        }
        Map<Way, Double> medians = new EnumMap<>(Way.class);
        nanos.forEach((way, all) -> {
            Arrays.sort(all);
            medians.put(way, all[each / 2] / 1e3);
        });
        return medians;
    }

    private static void setUp(Way way, InetSocketAddress entry, InetSocketAddress to) throws IOException {
        try (Socket program = new Socket()) {
            program.setTcpNoDelay(true);
            program.connect(entry);
            DataInputStream in = new DataInputStream(program.getInputStream());
            byte[] request = {5, 1, 0, 1, 127, 0, 0, 1, (byte) (to.getPort() >> 8), (byte) to.getPort()};
            if (way == Way.SOCKS) {
                program.getOutputStream().write(new byte[] {5, 1, 0});
                expect(in, 2, 0);
                program.getOutputStream().write(request);
                expect(in, 10, 0);
            } else if (way == Way.SOCKS_AT_ONCE) {
                byte[] both = Arrays.copyOf(new byte[] {5, 1, 0}, 3 + request.length);
                System.arraycopy(request, 0, both, 3, request.length);
                program.getOutputStream().write(both);
                expect(in, 2, 0);
                expect(in, 10, 0);
            } else if (way == Way.CONNECT) {
                program.getOutputStream().write(("CONNECT 127.0.0.1:" + to.getPort() + " HTTP/1.1\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                expect(in, "HTTP/1.1 200 Connected\r\n\r\n".length(), 'T');
            }
            if (in.readUnsignedByte() != '!') {
                throw new LabException("the server has not greeted");
            }
        }
    }

    /** Reads an answer whose second octet says that all is well. */
    private static void expect(DataInputStream in, int length, int second) throws IOException {
        byte[] answer = new byte[length];
        in.readFully(answer);
        if (answer[1] != second) {
            throw new LabException("the proxy answers " + Arrays.toString(answer));
        }
    }

    /** One octet to everybody who connects. */
    private static void greet(ServerSocket server) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    Socket next = server.accept();
                    next.getOutputStream().write('!');
                    next.close();
                }
            } catch (IOException e) {
                if (!server.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }, "greeter");
        thread.setDaemon(true);
        thread.start();
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        new Table<Way>("from connect to the first octet of the server", Way::toString).median("median, µs", "%.0f", measured.samples(), way -> way.key("p50", "us"))
                .median("of fixed", "%.3f", measured.samples(), way -> way.key("of-fixed", "ratio")).print(out, List.of(Way.values()));
    }
}
