package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;

/**
 * UFTP of Debian, not encrypted, tuned as its manual page says: blocks of 100 octets less than the path's MTU, the round trip that is known
 * in place of half a second, and the most that it repeats its messages, because a quarter of them may be lost.
 */
final class UftpSystem extends ProcessSystem {
    private static final String PORT = "1044";
    /** For the data; the other group is for announcements. */
    static final String PRIVATE_GROUP = "239.5.5.5";
    private static final String BUFFER = "1048576";
    private static final String HOPS = "8";
    private static final String BLOCK = "1400";
    /** First, least and most, in seconds. */
    private static final String ROUND_TRIP = "0.05:0.02:5";
    private static final String ROBUSTNESS = "50";
    /** It counts 1,024 bits as a kilobit. */
    private static final double BITS = 1_024;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final LabPlan plan;

    UftpSystem(MulticastTestbed testbed, LabPlan plan, String name) {
        super(testbed, name);
        this.plan = plan;
    }

    @Override
    LabProcess startReceiver(Host host, int number, Path folder) {
        String port = testbed.sites().get(number / plan.receivers()).ports().get(number % plan.receivers()).name();
        return host.start("UFTP receiver", "uftpd", "-d", "-q", "-I", port, "-M", LabBench.GROUP, "-p", PORT, "-B", BUFFER,
                "-D", folder.toString(), "-T", spare(number).toString());
    }

    /** It says nothing when it is ready: its kernel knows when it listens. */
    @Override
    void awaitReady(LabProcess receiver, int number) {
        Host host = testbed.receivers().toList().get(number);
        String socket = String.format(":%04X ", Integer.parseInt(PORT));
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!host.run("cat", "/proc/net/udp", "/proc/net/udp6").output().contains(socket)) {
            if (System.nanoTime() > end || !receiver.isAlive()) {
                throw new LabException("uftpd does not listen: " + receiver.errors());
            }
        }
    }

    @Override
    LabProcess startSender(Path file) {
        return testbed.source().start("UFTP sender", "uftp", "-R", Long.toString(Math.round(plan.bits() / BITS)), "-I",
                testbed.access().first().name(), "-M", LabBench.GROUP, "-P", PRIVATE_GROUP, "-p", PORT, "-t", HOPS, "-B", BUFFER,
                "-b", BLOCK, "-r", ROUND_TRIP, "-s", ROBUSTNESS, file.toString());
    }

    @Override
    public boolean senderEnds() {
        return true;
    }
}
