package org.tamanoir.benchmarks.kernel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.benchmarks.kernel.KernelPlan.Placement;
import org.tamanoir.benchmarks.load.LoadFigures;
import org.tamanoir.benchmarks.load.LoadProcess;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.kernel.KernelOptions;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;

/**
 * How soon a changed rule is in force: datagrams go to a host every 20 microseconds while a rule there lets them up to a socket or drops
 * them, by turns. Each says when it was sent, so the last one by the old rule and the first one by the new rule say how late the change
 * was, by one clock and without the time that they took themselves.
 */
final class RuleChange {
    /** Rules in the kernel while one of them is changed. */
    static final List<Integer> RULES = List.of(10, 10_000);
    /** From dropping to passing, and back; the lines of {@link Changer}. */
    static final List<String> DIRECTIONS = List.of("opened", "closed");
    private static final int PORT = 3322;
    private static final int OCTETS = 80;
    /** For all changes: on a busy machine many of them say nothing, and others are made instead. */
    private static final Duration MOST = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double NANOS_OF_MILLI = 1e6;

    private final KernelTestbed testbed;
    private final Measurements measured;
    private final KernelTestbed.Middle middle;

    RuleChange(KernelTestbed testbed, Measurements measured) {
        this.testbed = testbed;
        this.measured = measured;
        this.middle = testbed.middle("change");
    }

    /** One round. @throws LabException if a change is not seen at all, or too few could be judged */
    void run(int rules, int changes) {
        InetAddress address = middle.address();
        LoadTool.Client load = new LoadTool.Client("udp-pace", new InetSocketAddress(address, PORT), address, OCTETS, MOST.plusSeconds(20), Duration.ZERO,
                LoadTool.Client.ANY_HOPS, 1, false);
        try (LabProcess changer = middle.host().start("rule changer", LoadProcess.command(Changer.class, middle.access().second().name(),
                address.getHostAddress(), Integer.toString(rules), Integer.toString(changes)))) {
            changer.awaitLine("READY", PATIENCE);
            try (LabProcess sender = testbed.client().start("load", testbed.tool().command(Placement.APART.client, load))) {
                changer.tell("go");
                for (String direction : DIRECTIONS) {
                    add(direction, rules, changes, LoadFigures.of(changer.awaitLine(direction, PATIENCE)));
                }
                if (!sender.isAlive()) {
                    throw new LabException("the load ended before the changes: " + sender.errors());
                }
            }
        }
    }

    private void add(String direction, int rules, int changes, LoadFigures nanos) {
        if (nanos.get("counted") < changes / 2.0) {
            throw new LabException("too often nothing was sent when a rule changed: " + nanos);
        }
        for (String metric : List.of("p50", "p99", "most", "call-p50")) {
            measured.add(KernelResults.change(direction, rules, metric, "ms"), nanos.get(metric) / NANOS_OF_MILLI);
        }
        measured.add(KernelResults.change(direction, rules, "left-out", "changes"), nanos.get("silent"));
    }

    /**
     * A program that changes a rule in the kernel, by the call that a node makes, and looks at what gets through. Prints {@code READY}, waits
     * for a line, and prints a line of nanoseconds for each direction: {@code opened} from drop to pass, {@code closed} from pass to drop.
     */
    static final class Changer {
        /** Between two changes. */
        private static final Duration PAUSE = Duration.ofMillis(10);
        /** After which a change that nobody has seen is an error. */
        private static final long LOST_NANOS = Duration.ofSeconds(5).toNanos();
        private static final long POLL_NANOS = 10_000;
        /** Where the sequence number of a packet of the load is: after the header and its options. It is the time, in nanoseconds modulo 2^32. */
        private static final int SEQUENCE = 56;
        /** The same of the packet before. */
        private static final int PREVIOUS = SEQUENCE + 8;
        private static final int SLOT = 0;

        private final Kernel kernel;
        private final DatagramChannel channel;
        private final ByteBuffer datagram = ByteBuffer.allocateDirect(2048);
        private final LightRule pass = new LightRule("load", Match.type(KernelTestbed.TYPE_ID), List.of(Action.count()));
        private final LightRule drop = new LightRule("load", Match.type(KernelTestbed.TYPE_ID), List.of(Action.count(), Action.drop()));
        private final int priority;
        private long sent;
        private long previous;
        private long dropped;

        private Changer(Kernel kernel, DatagramChannel channel, int rules) {
            this.kernel = kernel;
            this.channel = channel;
            this.priority = rules;
            for (int i = 1; i < rules; i++) {
                kernel.put(i, i, new LightRule("r" + i, Match.all().withSession(i), List.of(Action.drop())));
            }
            kernel.put(SLOT, priority, drop);
        }

        /** @param arguments interface, address, rules, changes */
        public static void main(String[] arguments) throws IOException {
            int rules = Integer.parseInt(arguments[2]);
            InetAddress address = InetAddress.getByName(arguments[1]);
            try (Kernel kernel = Kernel.open(new KernelOptions(1, PORT, 0, rules, 1, false));
                    DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress(address, PORT))) {
                channel.configureBlocking(false);
                kernel.addAddress(address);
                Changer changer = new Changer(kernel, channel, rules);
                kernel.attach(NetworkInterface.getByName(arguments[0]).getIndex(), false);
                System.out.println("READY");
                System.in.read();
                changer.run(Integer.parseInt(arguments[3]));
            }
        }

        private void run(int changes) throws IOException {
            Delays opened = new Delays();
            Delays closed = new Delays();
            // The first change is for the compiler and is not counted.
            long end = System.nanoTime() + MOST.toNanos();
            for (int i = -1; Math.min(opened.delays.size(), closed.delays.size()) < changes && System.nanoTime() < end; i++) {
                long before = System.nanoTime();
                kernel.put(SLOT, priority, pass);
                long call = System.nanoTime() - before;
                await(before, "no datagram came through the new rule", this::receive);
                opened.add(i, call, previous - before, sent - before);
                drain(PAUSE);
                before = System.nanoTime();
                kernel.put(SLOT, priority, drop);
                call = System.nanoTime() - before;
                await(before, "no datagram was dropped by the new rule", () -> kernel.counters(SLOT).dropped() > dropped);
                long firstDropped = System.nanoTime();
                sent = before;
                drain(PAUSE);
                closed.add(i, call, sent - before, firstDropped - before);
            }
            System.out.println(opened.line("opened"));
            System.out.println(closed.line("closed"));
        }

        /** What a change is waited for. */
        private interface Sign {
            boolean isSeen() throws IOException;
        }

        private static void await(long since, String never, Sign sign) throws IOException {
            while (!sign.isSeen()) {
                LockSupport.parkNanos(POLL_NANOS);
                if (System.nanoTime() - since > LOST_NANOS) {
                    throw new IOException(never);
                }
            }
        }

        /** Takes what comes until a while is over. */
        private void drain(Duration duration) throws IOException {
            long end = System.nanoTime() + duration.toNanos();
            while (System.nanoTime() < end) {
                if (!receive()) {
                    LockSupport.parkNanos(POLL_NANOS);
                }
            }
            dropped = kernel.counters(SLOT).dropped();
        }

        /** Takes one datagram, if there is one: when it was sent, and when the one before it was. */
        private boolean receive() throws IOException {
            datagram.clear();
            if (channel.receive(datagram) == null) {
                return false;
            }
            long now = System.nanoTime();
            sent = now - ((now - datagram.getInt(SEQUENCE)) & 0xFFFF_FFFFL);
            previous = now - ((now - datagram.getInt(PREVIOUS)) & 0xFFFF_FFFFL);
            return true;
        }
    }

    /** How late changes were, in nanoseconds since their calls. */
    private static final class Delays {
        /** Nothing was sent for so long: such a change says nothing, whoever should have sent did not run. */
        private static final long GAP_NANOS = 1_000_000;

        private final List<Long> delays = new ArrayList<>();
        private final List<Long> calls = new ArrayList<>();
        private int silent;

        /**
         * One change.
         *
         * @param index    below 0 for one that does not count
         * @param call     until it returned
         * @param lastOld  the last datagram that is known to have met the old rule was sent then
         * @param firstNew the first one that met the new rule was sent then
         */
        void add(int index, long call, long lastOld, long firstNew) {
            if (index < 0) {
                return;
            }
            if (firstNew - Math.max(0, lastOld) > GAP_NANOS) {
                silent++;
                return;
            }
            delays.add(Math.max(0, firstNew));
            calls.add(call);
        }

        String line(String direction) {
            Collections.sort(delays);
            Collections.sort(calls);
            int count = delays.size();
            return direction + " counted " + count + " silent " + silent + (count == 0 ? "" : " p50 " + delays.get(count / 2) + " p99 "
                    + delays.get(count * 99 / 100) + " most " + delays.get(count - 1) + " call-p50 " + calls.get(count / 2));
        }
    }
}
