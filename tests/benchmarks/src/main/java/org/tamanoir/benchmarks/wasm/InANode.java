package org.tamanoir.benchmarks.wasm;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.benchmarks.load.LoadSender;
import org.tamanoir.benchmarks.load.LoadSink;
import org.tamanoir.benchmarks.load.StreamKind;
import org.tamanoir.benchmarks.load.StreamPackets;
import org.tamanoir.benchmarks.load.StreamRun;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.ServiceBundle;
import org.tamanoir.wasm.testing.HostileModules.Kind;

/**
 * Modules in a node, on loopback: what streams through one get beside those through {@code monitoring}, in turn, and how long the answers of a stream
 * take beside streams through modules that mean harm, begun one after the other at a steady rate; and beside as many that mean none, which take time as well.
 */
final class InANode extends MeasuredOutcome {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final List<Integer> SIZES = List.of(1400, 8192);
    private static final List<StreamKind> KINDS = List.of(StreamKind.MONITORING, StreamKind.MODULE);
    private static final int LARGE = 8192;
    private static final int STREAMS = 8;
    private static final int PACKET = 1400;
    /** Of a hostile stream: enough for those that do harm later. */
    private static final int PACKETS = 24;
    private static final int FIRST_HOSTILE = 0x5510;
    /** Those that a repository takes and a node runs; each is compiled in a process of its own. */
    private static final List<Kind> HOSTILE = List.of(Kind.LOOP, Kind.LOOP_AT_PACKET, Kind.TRAP_AT_PACKET, Kind.RECURSION, Kind.WIDE_RECURSION, Kind.GROW, Kind.FILL, Kind.EMIT, Kind.LOG,
            Kind.COMPRESS, Kind.RETURNS, Kind.OPEN_LOOPS);
    /** From the beginning of one such stream to that of the next. */
    private static final long PERIOD_NANOS = Duration.ofMillis(50).toNanos();
    private static final Duration WARM_UP = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final double LEAST_OF_MONITORING = 0.5;
    private static final double MOST_LONGER = 1.2;
    private static final Key ALONE = new Key("node", "monitoring", 64, 1, "p99 alone", "us");
    private static final Key HARMLESS = new Key("node", "monitoring", 64, 1, "p99 beside as many harmless streams", "us");
    private static final Key TOGETHER = new Key("node", "monitoring", 64, 1, "p99 beside hostile streams", "us");
    private static final Key ENDED = new Key("node", "hostile streams", PACKET, 1, "in a second", "");

    private InANode(Measurements measured) {
        super("node", measured);
    }

    private static Key throughput(StreamKind kind, int size) {
        return new Key("node", kind == StreamKind.MODULE ? "module" : "monitoring", size, STREAMS, "throughput", "Gbit/s");
    }

    static Outcome run(WasmPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        measured.attemptAny("modules in a node", () -> {
            try (Workbench workbench = new Workbench()) {
                new Site(workbench, plan).measure(plan, measured);
            }
        });
        return new InANode(measured);
    }

    /** A repository with modules, a node, and a load. */
    private static final class Site {
        private final LoadSender sender;
        private final LoadSink sink;
        private final NodeProcess node;

        Site(Workbench workbench, WasmPlan plan) throws IOException {
            RepositoryProcess repository = RepositoryProcess.start(workbench, workbench.folder("repository"));
            repository.push("monitoring");
            Path bundles = workbench.folder("bundles");
            repository.put(ServiceBundle.wasm("module", StreamKind.MODULE.typeId(), plan.module()).in(bundles));
            Random random = new Random(plan.seed());
            StringBuilder policies = new StringBuilder("policies:\n");
            for (Kind kind : HOSTILE) {
                String name = "hostile-" + kind.ordinal();
                repository.put(ServiceBundle.wasm(name, type(kind), kind.module(random)).in(bundles));
                // A suspended service would harm nobody any more.
                policies.append("  ").append(name).append(": {failures: 10000}\n");
            }
            Path file = Files.writeString(workbench.folder("configuration").resolve("node.yaml"), policies);
            sender = LoadSender.start(command -> workbench.start("sender", command));
            sink = LoadSink.start(command -> workbench.start("sink", command), HERE);
            node = NodeProcess.start(workbench, "127.0.0.1:0", workbench.folder("node"), "--repository", repository.url(), "--config", file.toString());
        }

        private static int type(Kind kind) {
            return FIRST_HOSTILE + kind.ordinal();
        }

        void measure(WasmPlan plan, Measurements measured) throws Exception {
            measured.rounds(1, plan.rounds().count(), round -> {
                for (int size : SIZES) {
                    for (StreamKind kind : Measurements.turned(KINDS, Math.max(0, round))) {
                        StreamRun run = new StreamRun(sender, sink, kind, node.address(), List.of(node.tree()), size, STREAMS);
                        measured.attempt(Measurements.name(round) + ", " + throughput(kind, size).system() + ", " + size,
                                () -> measured.add(throughput(kind, size), run.measure(WARM_UP, plan.rounds().run()).octetsPerSecond() * 8 / 1e9));
                    }
                }
            });
            HOSTILE.forEach(this::deploy);
            measured.rounds(1, plan.rounds().count(), round -> measured.attemptAny(Measurements.name(round) + ", beside hostile streams", () -> {
                measured.add(ALONE, p99(plan));
                for (boolean harmless : new boolean[] {true, false}) {
                    AtomicBoolean over = new AtomicBoolean();
                    double[] rate = new double[1];
                    Thread others = new Thread(() -> rate[0] = streams(harmless, over), "others");
                    others.setDaemon(true);
                    others.start();
                    measured.add(harmless ? HARMLESS : TOGETHER, p99(plan));
                    over.set(true);
                    others.join();
                    if (!harmless) {
                        measured.add(ENDED, rate[0]);
                    }
                }
            }));
        }

        /** So that no compiler runs while something is measured. */
        private void deploy(Kind kind) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            String type = Anep.typeName(type(kind));
            while (true) {
                stream(type(kind), 1);
                for (var service : node.get("/services").path("services")) {
                    if (service.path("typeId").asText().equals(type) && service.path("state").asText().matches("active|failed")) {
                        return;
                    }
                }
                if (System.nanoTime() - end > 0) {
                    throw new LabException(kind + " is not there: " + node.get("/services"));
                }
            }
        }

        private double p99(WasmPlan plan) {
            return sender.ping(node.address(), sink.echo(), WARM_UP, plan.rounds().run()).p99() / 1e3;
        }

        /** Streams through modules, one after the other. @return how many in a second */
        private double streams(boolean harmless, AtomicBoolean over) {
            long began = System.nanoTime();
            long streams = 0;
            while (!over.get()) {
                LockSupport.parkNanos(began + streams * PERIOD_NANOS - System.nanoTime());
                stream(harmless ? StreamKind.MODULE.typeId() : type(HOSTILE.get((int) (streams % HOSTILE.size()))), ++streams);
            }
            return streams * 1e9 / (System.nanoTime() - began);
        }

        private void stream(int type, long id) {
            try (SocketChannel stream = SocketChannel.open(node.address())) {
                stream.socket().setSoTimeout((int) PATIENCE.toMillis());
                StreamPackets.writeFully(stream, StreamPackets.opening(type, Anep.FLAG_DISCARD_UNKNOWN, sink.echo(), Delivery.ANEP, id, PACKET));
                ByteBuf packet = new PacketBuilder(type).payload(Unpooled.wrappedBuffer(new byte[PACKET])).build(UnpooledByteBufAllocator.DEFAULT);
                for (int i = 0; i < PACKETS; i++) {
                    StreamPackets.writeFully(stream, packet.nioBuffer());
                }
                packet.release();
                stream.shutdownOutput();
                ByteBuffer in = ByteBuffer.allocate(64 << 10);
                while (stream.read(in.clear()) >= 0) {
                    // Whatever it is: the stream has ended when nothing more comes.
                }
            } catch (IOException e) {
                // The node has ended it, as it should.
            }
        }
    }

    private static Double ratio(Double of, Double by) {
        return of == null || by == null ? null : of / by;
    }

    @Override
    public List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        targets.add(Target.atLeast("throughput of a module at " + LARGE + " octets by that of monitoring", ratio(samples().median(throughput(StreamKind.MODULE, LARGE)),
                samples().median(throughput(StreamKind.MONITORING, LARGE))), LEAST_OF_MONITORING));
        targets.add(Target.atMost("p99 of a stream beside hostile streams in a node by that beside harmless ones", ratio(samples().median(TOGETHER), samples().median(HARMLESS)), MOST_LONGER));
        targets.add(Target.atMost("p99 of a stream beside hostile streams in a node by that without", ratio(samples().median(TOGETHER), samples().median(ALONE)), MOST_LONGER));
        return targets;
    }
}
