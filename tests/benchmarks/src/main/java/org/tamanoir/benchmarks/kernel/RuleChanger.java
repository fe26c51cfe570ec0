package org.tamanoir.benchmarks.kernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tamanoir.benchmarks.load.LoadProcess;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.kernel.KernelOptions;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;

/**
 * A program that changes a rule in the kernel, by the call that a node makes, and looks at what gets through. Prints {@code READY}, waits
 * for a line, and prints a line of nanoseconds for each direction: {@code opened} from drop to pass, {@code closed} from pass to drop.
 */
public final class RuleChanger {
    static final int PORT = 3322;
    /** Between two changes. */
    static final Duration PAUSE = Duration.ofMillis(10);
    /** For all of them: on a busy machine many changes say nothing, and others are made instead. */
    static final Duration MOST = Duration.ofSeconds(30);
    /** After which a change that nobody has seen is an error. */
    private static final long LOST_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long POLL_NANOS = 10_000;
    /** Where the sequence number of a packet of the load is: after the header and its options. It is the time, in nanoseconds modulo 2^32. */
    private static final int SEQUENCE = 56;
    /** The same of the packet before. */
    private static final int PREVIOUS = SEQUENCE + 8;
    /** The rules that match nothing are spread over prefixes and sessions as in {@link NodeText}. */
    private static final int SLOT = 0;

    private final Kernel kernel;
    private final DatagramChannel channel;
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(2048);
    private final LightRule pass = new LightRule("load", Match.type(NodeText.TYPE_ID), List.of(Action.count()));
    private final LightRule drop = new LightRule("load", Match.type(NodeText.TYPE_ID), List.of(Action.count(), Action.drop()));
    private final int priority;
    private long sent;
    private long previous;
    private long dropped;

    private RuleChanger(Kernel kernel, DatagramChannel channel, int rules) {
        this.kernel = kernel;
        this.channel = channel;
        this.priority = rules;
        for (int i = 1; i < rules; i++) {
            kernel.put(i, i, new LightRule("r" + i, Match.all().withSession(i), List.of(Action.drop())));
        }
        kernel.put(SLOT, priority, drop);
    }

    /** Its command line. */
    static List<String> command(String interfaceName, String address, int rules, int changes) {
        return LoadProcess.command(RuleChanger.class, interfaceName, address, Integer.toString(rules), Integer.toString(changes));
    }

    /** @param arguments interface, address, rules, changes */
    public static void main(String[] arguments) throws IOException {
        int rules = Integer.parseInt(arguments[2]);
        InetAddress address = InetAddress.getByName(arguments[1]);
        try (Kernel kernel = Kernel.open(new KernelOptions(1, PORT, 0, rules, 1, false));
                DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress(address, PORT))) {
            channel.configureBlocking(false);
            kernel.addAddress(address);
            RuleChanger changer = new RuleChanger(kernel, channel, rules);
            kernel.attach(NetworkInterface.getByName(arguments[0]).getIndex(), false);
            System.out.println("READY");
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).readLine();
            changer.run(Integer.parseInt(arguments[3]));
        }
    }

    private void run(int changes) throws IOException {
        Delays opened = new Delays();
        Delays closed = new Delays();
        // The first change is for the compiler and is not counted.
        long end = System.nanoTime() + MOST.toNanos();
        for (int i = -1; Math.min(opened.count(), closed.count()) < changes && System.nanoTime() < end; i++) {
            long before = System.nanoTime();
            kernel.put(SLOT, priority, pass);
            long call = System.nanoTime() - before;
            awaitDatagram(before);
            opened.add(i, call, previous - before, sent - before);
            drain(PAUSE);
            before = System.nanoTime();
            kernel.put(SLOT, priority, drop);
            call = System.nanoTime() - before;
            long firstDropped = awaitDrop(before);
            sent = before;
            drain(PAUSE);
            closed.add(i, call, sent - before, firstDropped - before);
        }
        System.out.println(opened.line("opened"));
        System.out.println(closed.line("closed"));
    }

    /** Waits for a datagram; {@link #sent} and {@link #previous} are of that one. */
    private void awaitDatagram(long since) throws IOException {
        while (!receive()) {
            LockSupport.parkNanos(POLL_NANOS);
            if (System.nanoTime() - since > LOST_NANOS) {
                throw new IOException("no datagram came through the new rule");
            }
        }
    }

    /** Waits until a datagram has been dropped since the last time. @return when that was seen */
    private long awaitDrop(long since) throws IOException {
        for (;;) {
            long now = kernel.counters(SLOT).dropped();
            long at = System.nanoTime();
            if (now > dropped) {
                return at;
            }
            LockSupport.parkNanos(POLL_NANOS);
            if (at - since > LOST_NANOS) {
                throw new IOException("no datagram was dropped by the new rule");
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

    /** How late changes were. */
    private static final class Delays {
        /** Nothing was sent for so long: such a change says nothing, whoever should have sent did not run. */
        private static final long GAP_NANOS = 1_000_000;

        private final List<Long> delays = new ArrayList<>();
        private final List<Long> calls = new ArrayList<>();
        private int silent;

        /**
         * One change. All in nanoseconds since its call.
         *
         * @param index  below 0 for one that does not count
         * @param call   until it returned
         * @param lastOld the last datagram that is known to have met the old rule was sent then
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

        int count() {
            return delays.size();
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
