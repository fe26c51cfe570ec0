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
import java.util.Arrays;
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
    static final Duration PAUSE = Duration.ofMillis(20);
    /** After which a change that nobody has seen is an error. */
    private static final long LOST_NANOS = Duration.ofSeconds(5).toNanos();
    /** Where the sequence number of a packet of the load is: after the header and its options. It is the time, in nanoseconds modulo 2^32. */
    private static final int SEQUENCE = 56;
    /** The rules that match nothing are spread over prefixes and sessions as in {@link NodeText}. */
    private static final int SLOT = 0;

    private final Kernel kernel;
    private final DatagramChannel channel;
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(2048);
    private final LightRule pass = new LightRule("load", Match.type(NodeText.TYPE_ID), List.of(Action.count()));
    private final LightRule drop = new LightRule("load", Match.type(NodeText.TYPE_ID), List.of(Action.count(), Action.drop()));
    private final int priority;

    private RuleChanger(Kernel kernel, DatagramChannel channel, int rules) {
        this.kernel = kernel;
        this.channel = channel;
        this.priority = rules;
        for (int i = 1; i < rules; i++) {
            kernel.put(i, i, new LightRule("r" + i, Match.all().withSession(i), List.of(Action.drop())), 0);
        }
        kernel.put(SLOT, priority, drop, 0);
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
        long[] opened = new long[changes];
        long[] closed = new long[changes];
        long[] openCalls = new long[changes];
        long[] closeCalls = new long[changes];
        // The first change is for the compiler and is not counted.
        for (int i = -1; i < changes; i++) {
            int at = Math.max(i, 0);
            long before = System.nanoTime();
            kernel.put(SLOT, priority, pass, 0);
            openCalls[at] = System.nanoTime() - before;
            opened[at] = Math.max(0, firstSent(before) - before);
            drain(PAUSE);
            before = System.nanoTime();
            kernel.put(SLOT, priority, drop, 0);
            closeCalls[at] = System.nanoTime() - before;
            closed[at] = Math.max(0, drain(PAUSE) - before);
        }
        print("opened", opened, openCalls);
        print("closed", closed, closeCalls);
    }

    /** Waits for a datagram. @return when it was sent, by {@link System#nanoTime()}, which is the load's clock too */
    private long firstSent(long since) throws IOException {
        for (;;) {
            long sent = receive();
            if (sent != 0) {
                return sent;
            }
            if (System.nanoTime() - since > LOST_NANOS) {
                throw new IOException("no datagram came through the new rule");
            }
        }
    }

    /** Takes what comes until a while is over. @return when the last one was sent; 0 if none came */
    private long drain(Duration duration) throws IOException {
        long end = System.nanoTime() + duration.toNanos();
        long last = 0;
        while (System.nanoTime() < end) {
            long sent = receive();
            last = sent == 0 ? last : sent;
            if (sent == 0) {
                LockSupport.parkNanos(10_000);
            }
        }
        return last;
    }

    private long receive() throws IOException {
        datagram.clear();
        if (channel.receive(datagram) == null) {
            return 0;
        }
        long now = System.nanoTime();
        return now - ((now - datagram.getInt(SEQUENCE)) & 0xFFFF_FFFFL);
    }

    private static void print(String direction, long[] delays, long[] calls) {
        Arrays.sort(delays);
        Arrays.sort(calls);
        System.out.println(direction + " p50 " + delays[delays.length / 2] + " p99 " + delays[delays.length * 99 / 100] + " most "
                + delays[delays.length - 1] + " call-p50 " + calls[calls.length / 2]);
    }
}
