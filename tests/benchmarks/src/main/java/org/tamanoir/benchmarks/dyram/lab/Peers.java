package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;

/** What Tamanoir is compared with, as Debian has it. */
final class Peers {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private Peers() {
    }

    /** NORM: libnorm with blocks of 64 packets and up to 32 for repair; the program is {@code src/main/c/norm}. */
    static final class Norm extends MulticastSystem.OfProcesses {
        private static final String PORT = "6003";
        private static final int FIRST_NODE = 100;
        /** NORM counts its messages; a packet of 1,432 octets, which is the usual one, has 28 more of UDP and IP. */
        private static final double OF_WIRE = 1_432.0 / 1_460;

        private final Path program;

        Norm(MulticastTestbed testbed, LabPlan plan, Path program, String name) {
            super(testbed, plan, name);
            this.program = program;
        }

        @Override
        LabProcess startReceiver(Host host, int number, Path folder) {
            return host.start("NORM receiver", program.toString(), "receive", port(number), LabBench.GROUP, PORT,
                    Integer.toString(FIRST_NODE + number), folder.toString(), copy(number).getFileName().toString());
        }

        @Override
        void awaitReady(LabProcess receiver, Host host) {
            receiver.awaitLine("READY", PATIENCE);
        }

        @Override
        LabProcess startSender(Path file) {
            return testbed.source().start("NORM sender", program.toString(), "send", testbed.access().first().name(), LabBench.GROUP, PORT,
                    Long.toString(Math.round(plan.bits() * OF_WIRE)), Integer.toString(plan.expected()), file.toString());
        }

        /** It cannot know when everybody has everything. */
        @Override
        public boolean senderEnds() {
            return false;
        }
    }

    /**
     * UFTP, not encrypted, tuned as its manual page says: blocks of 100 octets less than the path's MTU, the round trip that is known in place
     * of half a second, and the most that it repeats its messages, because a quarter of them may be lost.
     */
    static final class Uftp extends MulticastSystem.OfProcesses {
        /** For the data; the other group is for announcements. */
        static final String PRIVATE_GROUP = "239.5.5.5";
        private static final String PORT = "1044";
        private static final String BUFFER = "1048576";
        private static final String HOPS = "8";
        private static final String BLOCK = "1400";
        /** First, least and most, in seconds. */
        private static final String ROUND_TRIP = "0.05:0.02:5";
        private static final String ROBUSTNESS = "50";
        /** It counts 1,024 bits as a kilobit. */
        private static final double BITS = 1_024;

        Uftp(MulticastTestbed testbed, LabPlan plan, String name) {
            super(testbed, plan, name);
        }

        @Override
        LabProcess startReceiver(Host host, int number, Path folder) {
            return host.start("UFTP receiver", "uftpd", "-d", "-q", "-I", port(number), "-M", LabBench.GROUP, "-p", PORT, "-B", BUFFER,
                    "-D", folder.toString(), "-T", spare(number).toString());
        }

        /** It says nothing when it is ready: its kernel knows when it listens. */
        @Override
        void awaitReady(LabProcess receiver, Host host) {
            String socket = String.format(":%04X ", Integer.parseInt(PORT));
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!host.run("cat", "/proc/net/udp", "/proc/net/udp6").output().contains(socket)) {
                if (System.nanoTime() > end || !receiver.isAlive()) {
                    throw new LabException("uftpd does not listen: " + receiver.errors());
                }
                Pause.millis(5);
            }
        }

        @Override
        LabProcess startSender(Path file) {
            return testbed.source().start("UFTP sender", "uftp", "-R", Long.toString(Math.round(plan.bits() / BITS)), "-I",
                    testbed.access().first().name(), "-M", LabBench.GROUP, "-P", PRIVATE_GROUP, "-p", PORT, "-t", HOPS, "-B", BUFFER,
                    "-b", BLOCK, "-r", ROUND_TRIP, "-s", ROBUSTNESS, file.toString());
        }
    }
}
