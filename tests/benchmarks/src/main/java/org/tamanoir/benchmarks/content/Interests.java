package org.tamanoir.benchmarks.content;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.benchmarks.process.CpuTime;
import org.tamanoir.benchmarks.process.MosquittoServer;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.interest.Heard;
import org.tamanoir.client.interest.SpaceStream;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabProcess;

/**
 * {@code interest}: what its core puts on the links of a tree and how fast it matches, both without nodes; then events between programs by one node beside mosquitto and
 * beside sockets alone; then how soon a new subscription is in force over two nodes; then, in namespaces, events by datagrams that nobody wants.
 */
final class Interests extends MeasuredOutcome {
    private static final int PUBLISHERS = 1000;
    private static final int SUBSCRIBERS = 100;
    private static final int IN_FORCE = 100;
    private static final double REGION = 0.01;
    private static final double LEAST_OF_MOSQUITTO = 0.9;
    private static final double LEAST_OF_THE_SERVICE = 2;
    private static final Key MATCHED = new Key("1,000 regions of 1 %", "interest", 0, 1, "matched", "events/s of a core");
    private static final Key SELDOM = new Key("1,000 regions of 0.1 %", "interest", 0, 1, "matched", "events/s of a core");
    private static final Key LINK = new Key("tree of 13, regions of 10 %", "interest", 0, PUBLISHERS, "octets of the worst link", "of an oracle's");
    private static final Key LINKS = new Key("tree of 13, regions of 10 %", "interest", 0, PUBLISHERS, "octets of all links", "of an oracle's");
    private static final Key MISSED = new Key("tree of 13, regions of 10 %", "interest", 0, PUBLISHERS, "missed or unwanted", "events");
    private static final String SOCKETS = "sockets";
    private static final String MEDIAN = "median";
    private static final String WORST = "99 of 100";

    private static Key inForce(String system, String which) {
        return new Key("two nodes", system, 0, 1, "there and back, " + which, "ms");
    }

    private Interests(Measurements measured) {
        super("interest", measured);
    }

    /** Publishers and subscribers. */
    private enum Case {
        PAIRS("4 to 4", 4, 4, true), ALONE("4 to 4, an event a packet", 4, 4, false), FAN("1 to 8", 1, 8, true);

        private final String title;
        private final int publishers;
        private final int subscribers;
        private final boolean together;

        Case(String title, int publishers, int subscribers, boolean together) {
            this.title = title;
            this.publishers = publishers;
            this.subscribers = subscribers;
            this.together = together;
        }

        Key brought(String system) {
            return new Key(title, system, 0, publishers, "brought", "events/s");
        }

        Key cpu(String system) {
            return new Key(title, system, 0, publishers, "processor", "us/event");
        }
    }

    static Outcome run(ContentPlan plan, Consumer<String> progress) {
        Measurements measured = new Measurements(progress);
        double seconds = plan.rounds().seconds();
        measured.rounds(1, plan.rounds().count(), round -> measured.attemptAny("the core, " + Measurements.name(round), () -> {
            measured.add(MATCHED, InterestCores.matched(new Random(plan.seed() + round), REGION, seconds));
            measured.add(SELDOM, InterestCores.matched(new Random(plan.seed() + round), REGION / 10, seconds));
            Random random = new Random(plan.seed() + round);
            InterestCores.Tree tree = new InterestCores.Tree(random, PUBLISHERS, SUBSCRIBERS, 0.1);
            tree.publish(random, plan.quick() ? 20 : 100);
            measured.add(LINK, tree.worst());
            measured.add(LINKS, tree.all());
            measured.add(MISSED, tree.missed());
        }));
        measured.attemptAny("two nodes and mosquitto", () -> {
            try (Workbench workbench = new Workbench()) {
                InetSocketAddress root = FreePort.on("127.0.0.3");
                InetSocketAddress leaf = FreePort.on("127.0.0.2");
                NodeProcess rootNode = node(workbench, "root", root, root);
                node(workbench, "leaf", leaf, root);
                int port = FreePort.onLoopback();
                LabProcess mosquitto = MosquittoServer.start(workbench, workbench.folder("mosquitto"), port);
                List<EventCarrier> carriers = List.of(EventCarrier.interest(root, rootNode.pid()), EventCarrier.mosquitto(port, mosquitto.pid()), EventCarrier.sockets());
                measured.rounds(1, plan.rounds().count(), round -> {
                    for (Case each : Case.values()) {
                        for (EventCarrier carrier : Measurements.turned(carriers, round + 1)) {
                            if (carrier.pid != 0 || each == Case.PAIRS) {
                                measured.attemptAny(each.title + " by " + carrier.name + ", " + Measurements.name(round), () -> bring(measured, each, carrier, seconds));
                            }
                        }
                    }
                    measured.attemptAny("in force, " + Measurements.name(round), () -> measureInForce(measured, leaf, root));
                });
            }
        });
        EventDrops.measure(measured, plan);
        return new Interests(measured);
    }

    private static NodeProcess node(Workbench workbench, String name, InetSocketAddress at, InetSocketAddress root) throws IOException {
        Path folder = workbench.folder(name);
        Path file = Files.writeString(folder.resolve("node.yaml"), "peers: [127.0.0.0/8]\npolicies: {interest: {reaches: [" + root.getAddress().getHostAddress() + "]}}\n");
        NodeProcess node = NodeProcess.start(workbench, at.getAddress().getHostAddress() + ":" + at.getPort(), folder.resolve("data"), "--config", file.toString());
        node.deploy(CommandLineTool.bundle("interest"));
        return node;
    }

    private static void bring(Measurements measured, Case each, EventCarrier carrier, double seconds) throws Exception {
        EventCarrier.Brought brought = carrier.run(each.publishers, each.subscribers, each.together, seconds, meanwhile -> {
            CpuTime before = carrier.pid == 0 ? null : CpuTime.of(carrier.pid);
            meanwhile.run();
            return carrier.pid == 0 ? 0 : CpuTime.of(carrier.pid).since(before);
        });
        measured.add(each.brought(carrier.name), brought.eventsPerSecond());
        if (carrier.pid != 0) {
            measured.add(each.cpu(carrier.name), brought.cpuMicros());
        }
    }

    /** From the call to the answer, with both nodes joined already; and an octet there and back over as many sockets, which is a round trip on this machine at this time. */
    private static void measureInForce(Measurements measured, InetSocketAddress leaf, InetSocketAddress root) throws Exception {
        try (Echo echo = new Echo(); TamanoirClient client = new TamanoirClient(); SpaceStream stream = SpaceStream.open(client, new StreamRequest().via(leaf).to(root))) {
            stream.subscribe("{\"topic\":\"first\"}");
            stream.receive();
            double[] millis = new double[IN_FORCE];
            double[] echoes = new double[IN_FORCE];
            for (int i = 0; i < IN_FORCE; i++) {
                echoes[i] = echo.millis() + echo.millis();
                long begin = System.nanoTime();
                int number = stream.subscribe("{\"topic\":\"new/" + i + "\",\"region\":[0,0,1," + i + "]}");
                for (Heard heard = stream.receive(); !heard.equals(new Heard.Ready(number)); heard = stream.receive()) {
                    // Nothing else comes.
                }
                millis[i] = (System.nanoTime() - begin) / 1e6;
            }
            add(measured, "interest", millis);
            add(measured, SOCKETS, echoes);
        }
    }

    private static void add(Measurements measured, String system, double[] millis) {
        Arrays.sort(millis);
        measured.add(inForce(system, MEDIAN), millis[IN_FORCE / 2]);
        measured.add(inForce(system, WORST), millis[IN_FORCE - 2]);
    }

    /** Answers an octet with it. */
    private static final class Echo implements AutoCloseable {
        private final Socket here;
        private final Socket there;

        Echo() throws IOException {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                here = new Socket(server.getInetAddress(), server.getLocalPort());
                there = server.accept();
            }
            here.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
            Thread answers = new Thread(() -> {
                try {
                    for (int octet = there.getInputStream().read(); octet >= 0; octet = there.getInputStream().read()) {
                        there.getOutputStream().write(octet);
                    }
                } catch (IOException e) {
                    // It is over.
                }
            }, "echo");
            answers.setDaemon(true);
            answers.start();
        }

        double millis() throws IOException {
            long begin = System.nanoTime();
            here.getOutputStream().write(1);
            here.getInputStream().read();
            return (System.nanoTime() - begin) / 1e6;
        }

        @Override
        public void close() throws IOException {
            here.close();
            there.close();
        }
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("events matched a second of a core with 1,000 regions of 1 %", samples().median(MATCHED), 1e6),
                Target.atMost("octets of the worst link of a tree, of an oracle's", samples().median(LINK), 1.05),
                Target.atMost("events missed or unwanted", samples().of(MISSED).stream().max(Double::compare).orElse(null), 0),
                Target.atLeast("events brought, of mosquitto's, 4 to 4", ratio(Case.PAIRS), LEAST_OF_MOSQUITTO),
                Target.atLeast("events brought, of mosquitto's, 4 to 4, an event a packet", ratio(Case.ALONE), LEAST_OF_MOSQUITTO),
                Target.atLeast("events brought, of mosquitto's, 1 to 8", ratio(Case.FAN), LEAST_OF_MOSQUITTO),
                Target.atMost("ms until a subscription is in force, 99 of 100, beyond a round trip", beyond(), 10),
                Target.atLeast("unwanted events by datagrams thrown away by rules in the kernel, of those by the service alone", thrownAway(), LEAST_OF_THE_SERVICE));
    }

    private Double thrownAway() {
        Double kernel = samples().median(EventDrops.By.KERNEL.thrownAway());
        Double service = samples().median(EventDrops.By.SERVICE.thrownAway());
        return kernel == null || service == null ? null : kernel / service;
    }

    private Double beyond() {
        Double ours = samples().median(inForce("interest", WORST));
        Double trip = samples().median(inForce(SOCKETS, WORST));
        return ours == null || trip == null ? null : ours - trip;
    }

    private Double ratio(Case each) {
        Double ours = samples().median(each.brought("interest"));
        Double theirs = samples().median(each.brought("mosquitto"));
        return ours == null || theirs == null ? null : ours / theirs;
    }
}
