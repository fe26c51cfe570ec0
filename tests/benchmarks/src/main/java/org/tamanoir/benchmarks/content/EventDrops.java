package org.tamanoir.benchmarks.content;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.interest.wire.EventView;
import org.tamanoir.interest.wire.Frames;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;

/**
 * Events by datagrams that nobody wants, an event a datagram, from a host to a node beside it: how many a second a rule throws away in the kernel, how many one in the node, and
 * how many the service by itself. The sender sends as fast as it can for the same time, to one after the other.
 */
final class EventDrops implements AutoCloseable {
    private static final int TOPICS = 64;
    private static final byte[] DATA = "{\"t\":31.25,\"unit\":\"C\",\"station\":\"hall-7\",\"sequence\":1234567890}".getBytes(StandardCharsets.UTF_8);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String DROPPED = "tamanoir_interest_datagrams_dropped_below_total{";
    private static final String CAME = "tamanoir_interest_events_total{";

    /** Who throws them away. */
    enum By {
        KERNEL("kernel: {use: required}", ""), NODE("kernel: {use: 'off'}", ""), SERVICE("kernel: {use: 'off'}", "services: {interest: {drop-rules: 0}}");

        private final String kernel;
        private final String options;

        By(String kernel, String options) {
            this.kernel = kernel;
            this.options = options;
        }

        Key thrownAway() {
            return new Key("unwanted, by datagrams", switch (this) {
                case KERNEL -> "rules in the kernel";
                case NODE -> "rules in the node";
                case SERVICE -> "the service alone";
            }, 0, 1, "thrown away", "events/s");
        }
    }

    /** A node, and the datagrams that go there. */
    private final class Target {
        private final By by;
        private final NodeProcess node;
        private final List<Numbered> datagrams = new ArrayList<>();

        Target(By by) throws IOException {
            this.by = by;
            InetSocketAddress at = new InetSocketAddress(link.second().ipv4(), Anep.PORT_DATA + 1000 * by.ordinal());
            node = NodeProcess.start(host, folder.resolve(by.name()), "listen: '" + at.getAddress().getHostAddress() + ":" + at.getPort() + "'\ncode: none\n" + by.kernel + "\n" + by.options + "\n");
            node.deploy(CommandLineTool.bundle("interest"));
            for (int i = 0; i < TOPICS; i++) {
                datagrams.add(datagram(at, "unwanted/" + i));
            }
        }

        private double metric(String begin, String with) {
            return node.admin().text("/metrics").lines().filter(line -> line.startsWith(begin) && line.contains(with)).mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
        }

        private double thrownAway() {
            return by == By.SERVICE ? metric(CAME, "what=\"in\"") : metric(DROPPED, "");
        }

        /** Until its rules are there, if it has any. */
        void awaitRules() throws IOException, InterruptedException {
            long begin = System.nanoTime();
            while (metric("tamanoir_interest_drop_rules{", "") < (by == By.SERVICE ? 0 : TopicGroups.COUNT) || by == By.SERVICE && thrownAway() == 0) {
                if (System.nanoTime() - begin > PATIENCE.toNanos()) {
                    throw new LabException(by + " has no rules after " + PATIENCE.toSeconds() + " s");
                }
                send(10_000_000L);
                Thread.sleep(200);
            }
        }

        /** @return datagrams sent */
        private long send(long nanos) throws IOException {
            long sent = 0;
            for (long end = System.nanoTime() + nanos; System.nanoTime() < end;) {
                for (int i = 0; i < TOPICS; i++, sent++) {
                    datagrams.get(i).send(socket);
                }
            }
            return sent;
        }

        /** Events a second. */
        double measure(double seconds) throws IOException {
            double before = thrownAway();
            long begin = System.nanoTime();
            send((long) (seconds * 1e9));
            double after = thrownAway();
            return (after - before) / ((System.nanoTime() - begin) / 1e9);
        }
    }

    private final Path folder = Files.createTempDirectory("tamanoir-drops");
    private final Lab lab = Lab.open();
    private final Host host;
    private final Link link;
    private final DatagramSocket socket;
    private final List<Target> targets = new ArrayList<>();

    private EventDrops() throws Exception {
        try {
            Host sender = lab.host("sender");
            host = lab.host("node");
            link = lab.link(sender, host);
            socket = sender.inside(() -> new DatagramSocket(new InetSocketAddress(link.first().ipv4(), 0)));
            for (By by : By.values()) {
                targets.add(new Target(by));
            }
            for (Target each : targets) {
                each.awaitRules();
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** A datagram of one topic. @param number where its number stands */
    private record Numbered(DatagramPacket datagram, int number) {
        void send(DatagramSocket by) throws IOException {
            ByteBuffer octets = ByteBuffer.wrap(datagram.getData());
            octets.putLong(number, octets.getLong(number) + 1);
            by.send(datagram);
        }
    }

    private static Numbered datagram(InetSocketAddress root, String topic) {
        ByteBuf payload = Frames.numbered(Unpooled.buffer(), 0).writeBytes(EventView.frame(topic, EventView.JSON, DATA));
        PacketOptions options = new PacketOptions().destination(Identifier.of(root.getAddress())).delivery(root.getPort(), Delivery.ANEP).stream(7, 0).hops(Anep.DEFAULT_HOPS)
                .qosSession(TopicGroups.code(TopicGroups.space(root), TopicGroups.of(topic)));
        int length = payload.readableBytes();
        ByteBuf packet = new PacketBuilder(BundledServices.typeId("interest")).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).payload(payload).build(UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = ByteBufUtil.getBytes(packet);
        packet.release();
        return new Numbered(new DatagramPacket(octets, octets.length, root), octets.length - length + Frames.HEADER);
    }

    /** Adds what each throws away; nothing where there are no namespaces. */
    static void measure(Measurements measured, ContentPlan plan) {
        LabRequirements requirements = LabRequirements.check();
        if (!requirements.met()) {
            measured.doing("no events by datagrams: " + requirements.explain());
            return;
        }
        measured.attemptAny("events by datagrams", () -> {
            try (EventDrops drops = new EventDrops()) {
                measured.rounds(1, plan.rounds().count(), round -> {
                    for (Target each : Measurements.turned(drops.targets, round + 1)) {
                        measured.attemptAny("thrown away by the " + each.by + ", " + Measurements.name(round), () -> measured.add(each.by.thrownAway(), each.measure(plan.rounds().seconds())));
                    }
                });
            }
        });
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
        }
        targets.forEach(each -> each.node.close());
        lab.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
