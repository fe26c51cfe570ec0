package org.tamanoir.benchmarks.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.Requests;

/** The process that makes or takes the load: {@code sender} or {@code sink ADDRESS}. See {@link Requests}. */
public final class LoadMain {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private LoadMain() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Requests.serve(arguments[0].equals("sink") ? sink(InetAddress.getByName(arguments[1])) : sender());
    }

    private static Requests.Role sink(InetAddress address) throws IOException {
        SinkServer sink = new SinkServer(address);
        System.out.println("READY sink " + sink.port() + " " + EchoServer.ofPackets(address).address().getPort());
        return words -> switch (words[0]) {
            case "begin" -> {
                sink.begin(words[2].equals("check") ? StreamPackets.block(StreamKind.valueOf(words[3]), Integer.parseInt(words[1])) : null);
                yield "BEGUN";
            }
            case "count" -> "COUNT " + sink.total().octets() + " " + System.nanoTime();
            case "end" -> end(sink, Integer.parseInt(words[1]));
            default -> throw new IOException("a sink knows no '" + words[0] + "'");
        };
    }

    private static String end(SinkServer sink, int streams) throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (sink.total().ended() < streams) {
            if (System.nanoTime() > end) {
                throw new IOException(sink.total().ended() + " of " + streams + " streams have ended after " + PATIENCE.toSeconds() + " s");
            }
            Thread.sleep(1);
        }
        SinkServer.Total total = sink.total();
        return "END " + total.octets() + " " + total.ended() + " " + total.differing() + " " + total.reset();
    }

    private static Requests.Role sender() {
        StreamWriter[] running = new StreamWriter[1];
        System.out.println("READY sender");
        return words -> switch (words[0]) {
            case "reach" -> {
                reach(address(words, 1));
                yield "REACHED";
            }
            case "start" -> {
                running[0] = new StreamWriter();
                running[0].start(address(words, 1), address(words, 3), StreamKind.valueOf(words[7]), Integer.parseInt(words[5]),
                        Integer.parseInt(words[6]));
                yield "STARTED";
            }
            case "stop" -> "SENT " + running[0].stop(PATIENCE);
            case "ping" -> {
                Histogram trips = RoundTrip.measure(address(words, 1), address(words, 3), Duration.ofMillis(Long.parseLong(words[5])),
                        Duration.ofMillis(Long.parseLong(words[6])));
                yield "TRIPS " + trips.getTotalCount() + " " + trips.getValueAtPercentile(50) + " " + trips.getValueAtPercentile(99);
            }
            default -> throw new IOException("a sender knows no '" + words[0] + "'");
        };
    }

    private static InetSocketAddress address(String[] words, int at) {
        return new InetSocketAddress(words[at], Integer.parseInt(words[at + 1]));
    }

    /** Tries to connect until somebody listens. @throws IOException if nobody does within 20 s */
    public static void reach(InetSocketAddress address) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                SocketChannel.open(address).close();
                return;
            } catch (IOException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                Pause.millis(50);
            }
        }
    }
}
