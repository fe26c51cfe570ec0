package org.tamanoir.benchmarks.paths;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.Flows;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.RouterTestbed;
import org.tamanoir.qos.domain.Domain.Queue;
import org.tamanoir.qos.domain.DomainFile;
import org.tamanoir.qos.domain.DomainSetup;
import org.tamanoir.qos.domain.DomainStatus;

/** Senders and receivers at a router of user-mode Linux, whose kernel has RED and a policer; and what is set up on it. */
final class AqmSite implements AutoCloseable {
    /** Congestion control of all streams: what the 2.4 kernels of the papers had. */
    static final String CONTROL = "reno";
    static final int PAYLOAD = 1470;
    private static final int HOSTS = 2;
    private static final double SETTLING = 1;
    private static final double QUEUE_EVERY = 0.2;
    private static final String IN = RouterTestbed.TO_SENDERS;
    private static final String OUT = RouterTestbed.TO_RECEIVERS;

    private final Path folder;
    private final RouterTestbed testbed;
    private final DomainSetup setup;
    private final List<FlowReceiver> receivers;

    AqmSite() {
        try {
            folder = Files.createTempDirectory("tamanoir-aqm");
        } catch (IOException e) {
            throw new LabException("no folder: " + e.getMessage(), e);
        }
        RouterTc.prepare(folder);
        testbed = RouterTestbed.open(HOSTS, HOSTS);
        setup = new DomainSetup(new RouterTc(testbed.router(), folder), OUT);
        receivers = testbed.receivers().stream().map(FlowReceiver::start).toList();
        // What a policer or a queue counts is packets as they are on a cable.
        testbed.router().run("ethtool -K " + IN + " gro off; ethtool -K " + OUT + " gro off; tc qdisc add dev " + IN + " clsact");
        IntStream.rangeClosed(1, HOSTS).forEach(i -> List.of(sender(i), receiver(i)).forEach(host -> host.sysctl("net.ipv4.tcp_congestion_control", CONTROL)));
    }

    private Host sender(int number) {
        return testbed.sender(number).host();
    }

    private Host receiver(int number) {
        return testbed.receiver(number).host();
    }

    /** Whether streams ask for marks in place of losses (RFC 3168). */
    void notifications(boolean on) {
        for (int i = 1; i <= HOSTS; i++) {
            sender(i).sysctl("net.ipv4.tcp_ecn", on ? "1" : "0");
            receiver(i).sysctl("net.ipv4.tcp_ecn", on ? "1" : "0");
        }
    }

    /** Holds what comes back so long. */
    void roundTrip(int millis) {
        testbed.router().run("tc qdisc replace dev " + IN + " root netem delay " + millis + "ms limit 10000");
    }

    /** Sets up classes as {@code qos domain apply} does. */
    void domain(String yaml, Object... arguments) {
        setup.apply(DomainFile.parse(String.format(Locale.ROOT, yaml, arguments), Set.of(Queue.Kind.RED, Queue.Kind.GRED)), false);
    }

    void noDomain() {
        setup.remove();
    }

    DomainStatus.Class status(String name) {
        return setup.show().classes().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    }

    /** What comes from senders passes at so many bits a second, and so many octets at once; 0 for everything. */
    void police(long rate, int burst) {
        testbed.router().run("tc filter del dev " + IN + " ingress 2>/dev/null; true");
        if (rate > 0) {
            testbed.router().run(String.format(Locale.ROOT, "tc filter add dev %s ingress matchall action police rate %dbit burst %db mtu 64kb drop", IN, rate, burst));
        }
    }

    /** Bits of payload a second of a stream alone. */
    double stream(double seconds) {
        receivers.get(0).begin();
        Flows.stream(sender(1), receivers.get(0), 0, CONTROL, seconds).sent();
        return receivers.get(0).report().rate(true, 0, SETTLING, seconds);
    }

    /** What part of datagrams arrives that are offered at so many bits a second of frames. */
    double datagrams(double rate, double seconds) {
        receivers.get(0).begin();
        Flows.Sent sent = Flows.datagrams(sender(1), receivers.get(0), 0, PAYLOAD, payload(rate), seconds).sent();
        return receivers.get(0).report().counts().stream().mapToLong(FlowReceiver.FlowReport.Count::octets).sum() / (double) sent.octets();
    }

    private static double payload(double rate) {
        return rate * PAYLOAD / (PAYLOAD + 42);
    }

    /** Bits of payload a second of a stream of one code point and of datagrams of another, side by side. */
    double[] together(int stream, int datagrams, double rate, double seconds) {
        receivers.forEach(FlowReceiver::begin);
        Flows.Flow one = Flows.stream(sender(1), receivers.get(0), stream, CONTROL, seconds);
        Flows.Flow other = Flows.datagrams(sender(2), receivers.get(1), datagrams, PAYLOAD, payload(rate), seconds);
        one.sent();
        other.sent();
        return new double[] {receivers.get(0).report().rate(true, stream, SETTLING, seconds), receivers.get(1).report().rate(false, datagrams, SETTLING, seconds)};
    }

    /** Bits of payload a second of two streams of best effort, with one of another code point beside them or without. @param beside -1 for none */
    double best(int beside, double seconds) {
        receivers.forEach(FlowReceiver::begin);
        Flows.Flow background = beside < 0 ? null : Flows.stream(sender(1), receivers.get(0), beside, CONTROL, seconds + 1);
        Pause.millis(1000);
        List<Flows.Flow> flows = IntStream.range(0, 2).mapToObj(i -> Flows.stream(sender(2), receivers.get(1), 0, CONTROL, seconds)).toList();
        flows.forEach(Flows.Flow::sent);
        if (background != null) {
            background.sent();
        }
        return receivers.get(1).report().rate(true, 0, SETTLING + 1, seconds + 1);
    }

    /** Downloads of so many octets by so many clients at once, beside so many long streams, which take what is left of the link. @return completed in a second */
    double transactions(int clients, int octets, int streams, double seconds) throws Exception {
        try (Downloads beside = new Downloads(testbed.sender(2), Integer.MAX_VALUE); Downloads downloads = new Downloads(testbed.sender(1), octets)) {
            beside.clients(receiver(2), streams);
            downloads.clients(receiver(1), clients);
            downloads.within(SETTLING);
            return downloads.within(seconds).completed() / seconds;
        }
    }

    /** @param packets in the queue of best effort, at looks that are as far apart as a busy router makes them @param rate bits of payload a second */
    record Filled(double[] packets, double rate) {
    }

    /** So many long streams at once. */
    Filled streams(int count, double seconds) throws Exception {
        try (Downloads downloads = new Downloads(testbed.sender(1), Integer.MAX_VALUE)) {
            downloads.clients(receiver(1), count);
            downloads.within(2 * SETTLING);
            testbed.router().start("queue", String.format(Locale.ROOT, "bash -c 'end=$((SECONDS + %d)); while [ $SECONDS -lt $end ]; do tc -s -j qdisc show dev %s; sleep %.2f; done; echo END'",
                    (int) Math.ceil(seconds), OUT, QUEUE_EVERY));
            double rate = 8 * downloads.within(seconds).received() / seconds;
            String said = testbed.router().run("while ! grep -q END /run/log/queue; do sleep 0.1; done; grep -o '\"kind\":\"red\".*\"qlen\":[0-9]*' /run/log/queue | grep -o '\"qlen\":[0-9]*' | cut -d: -f2");
            return new Filled(Arrays.stream(said.strip().split("\\s+")).mapToDouble(Double::parseDouble).toArray(), rate);
        }
    }

    @Override
    public void close() {
        testbed.close();
        folder.resolve("precedence.bpf.o").toFile().delete();
        folder.toFile().delete();
    }
}
