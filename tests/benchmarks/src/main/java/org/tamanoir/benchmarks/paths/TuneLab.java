package org.tamanoir.benchmarks.paths;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.benchmarks.process.TemporaryFolder;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.DelayBox;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.LinkOptions;

/**
 * A node at the entry of a long path, and flows of others that enter beside it.
 *
 * <pre>
 *   source ── node ── delay, {@value #RATE} bit/s, a queue of 50 ms ── destination
 *   others ──┘
 * </pre>
 *
 * The destination has an address for each way in which streams may be treated.
 */
final class TuneLab implements AutoCloseable {
    static final long RATE = 40_000_000;
    static final Duration ONE_WAY = Duration.ofMillis(25);
    private static final String QUEUE = "50ms";
    private static final String BURST = "32kb";
    private static final int PORT = 7000;
    private static final int NODE = 3322;
    private static final int FORWARD = 0x5401;
    private static final int PIECE = 32 * 1024;
    private static final int PATIENCE_SECONDS = 120;
    /** The others' flows come and go. */
    private static final double LEAST_FLOW = 1;
    private static final double MORE_FLOW = 3;
    private static final long MOST_PAUSE_MILLIS = 2_000;

    private final Lab lab = Lab.open();
    private final TemporaryFolder files = new TemporaryFolder();
    private final Host source;
    private final Host others;
    private final FlowReceiver receiver;
    private final InetSocketAddress entry;
    private final ServerSocket server;
    private final NodeProcess node;
    private volatile boolean stop;

    /** @param treatments rules without name and address, by the last octet of the address that they are for */
    TuneLab(Map<Integer, String> treatments) {
        try {
            DebianPackages.require("ethtool", "ethtool");
            source = lab.host("source");
            others = lab.host("others");
            Host middle = lab.host("node");
            Host destination = lab.host("destination");
            Host path = lab.host("path");
            Link in = lab.link(source, middle);
            Link beside = lab.link(others, middle);
            DelayBox box = new DelayBox(path, ONE_WAY);
            Link out = lab.link(middle, box, destination, LinkOptions.DEFAULT.segments(true).offloads(false));
            box.start();
            for (String port : new String[] {"left" + out.number(), "right" + out.number()}) {
                path.run("tc", "qdisc", "replace", "dev", port, "root", "handle", "1:", "tbf", "rate", RATE + "bit", "burst", BURST, "latency", QUEUE);
            }
            middle.forward(true);
            others.route(out.ipv4Subnet(), beside.second().ipv4());
            destination.route(beside.ipv4Subnet(), out.first().ipv4());
            middle.route("192.0.2.0/24", out.second().ipv4());
            for (int last : treatments.keySet()) {
                destination.ip("addr", "add", "192.0.2." + last + "/32", "dev", "lo");
            }
            entry = new InetSocketAddress(in.second().ipv4(), NODE);
            node = NodeProcess.start(middle, files.folder("node"), "listen: '0.0.0.0:" + NODE + "'\ncode: none\nkernel: {use: off}\nroutes: {192.0.2.0/24: direct}\ntune:\n"
                    + treatments.entrySet().stream().map(each -> "  - {name: rule" + each.getKey() + ", to: 192.0.2." + each.getKey() + ", " + each.getValue() + ", probation: false}\n")
                            .collect(Collectors.joining()));
            node.deploy(CommandLineTool.bundle("forward"));
            receiver = FlowReceiver.start(out.second());
            server = destination.inside(() -> new ServerSocket(PORT, 50));
        } catch (Exception e) {
            lab.close();
            files.close();
            throw e instanceof LabException known ? known : new LabException("the path: " + e.getMessage(), e);
        }
    }

    /** What the node says of its rules that the kernel refuses; empty if it refuses none. */
    String refused() {
        StringBuilder refused = new StringBuilder();
        node.get("/tuning").path("rules").forEach(rule -> refused.append(rule.path("state").asText().equals("refused") ? rule.path("name").asText() + ": " + rule.path("reason").asText() + " " : ""));
        return refused.toString().strip();
    }

    /**
     * Sends octets through the node.
     *
     * @return seconds from the attempt to connect to the last octet at the destination
     */
    double transfer(int treatment, int octets) throws Exception {
        CompletableFuture<Long> arrived = CompletableFuture.supplyAsync(() -> take(octets));
        long begun = System.nanoTime();
        try (Socket socket = source.inside(() -> new Socket(entry.getAddress(), entry.getPort()))) {
            socket.setSoTimeout(PATIENCE_SECONDS * 1_000);
            send(socket, treatment, left -> left < octets);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        }
        return (arrived.get(PATIENCE_SECONDS, TimeUnit.SECONDS) - begun) / 1e9;
    }

    private interface While {
        boolean goesOn(long octets);
    }

    private static void send(Socket socket, int treatment, While enough) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(octets(new PacketBuilder(FORWARD).options(new PacketOptions().destination(Identifier.of(NetUtil.createInetAddressFromIpAddressString("192.0.2." + treatment)))
                .delivery(PORT, Delivery.RAW).stream(7, 0))));
        byte[] piece = octets(new PacketBuilder(FORWARD).payload(Unpooled.wrappedBuffer(new byte[PIECE])));
        for (long sent = 0; enough.goesOn(sent); sent += PIECE) {
            out.write(piece);
        }
    }

    private static byte[] octets(PacketBuilder builder) {
        ByteBuf built = builder.build(UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = new byte[built.readableBytes()];
        built.readBytes(octets);
        built.release();
        return octets;
    }

    private long take(long expected) {
        try (Socket socket = server.accept()) {
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[64 * 1024];
            long came = 0;
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                came += read;
            }
            long now = System.nanoTime();
            if (came < expected) {
                throw new LabException("of " + expected + " octets " + came + " came");
            }
            return now;
        } catch (IOException e) {
            throw new LabException("the destination: " + e.getMessage(), e);
        }
    }

    /** A CUBIC flow and one of Reno of others, in bits a second, while a stream through the node runs beside them. */
    record Kept(double cubic, double reno) {
    }

    /** @param treatment of the stream; 0 for none */
    Kept beside(int treatment, double warm, double seconds) throws Exception {
        receiver.begin();
        Flows.Flow cubic = Flows.stream(others, receiver, 1, "cubic", warm + seconds + 1);
        Flows.Flow reno = Flows.stream(others, receiver, 2, "reno", warm + seconds + 1);
        Socket ours = treatment == 0 ? null : source.inside(() -> new Socket(entry.getAddress(), entry.getPort()));
        CompletableFuture<Long> taken = ours == null ? null : CompletableFuture.supplyAsync(() -> take(0));
        CompletableFuture<Void> sending = ours == null ? null : CompletableFuture.runAsync(() -> fill(ours, treatment));
        Pause.of(Duration.ofMillis((long) (1_000 * (warm + seconds))));
        FlowReceiver.FlowReport report = receiver.report();
        if (ours != null) {
            stop = true;
            sending.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            taken.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            ours.close();
            stop = false;
        }
        cubic.sent();
        reno.sent();
        return new Kept(report.rate(true, 1, warm, warm + seconds), report.rate(true, 2, warm, warm + seconds));
    }

    private void fill(Socket ours, int treatment) {
        try {
            send(ours, treatment, sent -> !stop);
            ours.shutdownOutput();
        } catch (IOException e) {
            throw new LabException("the source: " + e.getMessage(), e);
        }
    }

    /** Flows of others by CUBIC that come and go, until what is returned is closed. */
    AutoCloseable crossTraffic(long seed) {
        CompletableFuture<Void> one = CompletableFuture.runAsync(() -> comeAndGo(new Random(seed), 1));
        CompletableFuture<Void> another = CompletableFuture.runAsync(() -> comeAndGo(new Random(seed + 1), 2));
        return () -> {
            stop = true;
            one.join();
            another.join();
            stop = false;
        };
    }

    private void comeAndGo(Random random, int codePoint) {
        while (!stop) {
            Flows.stream(others, receiver, codePoint, "cubic", LEAST_FLOW + MORE_FLOW * random.nextDouble()).sent();
            Pause.of(Duration.ofMillis((long) (MOST_PAUSE_MILLIS * random.nextDouble())));
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new LabException("the destination: " + e.getMessage(), e);
        } finally {
            lab.close();
            files.close();
        }
    }
}
