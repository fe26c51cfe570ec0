package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.NativeTool;
import org.tamanoir.lab.Port;

/** What Tamanoir is compared with, as Debian has it. */
final class Peers {
    private Peers() {
    }

    /** NORM: libnorm with blocks of 64 packets and up to 32 for repair; the program is {@code src/main/c/norm}. */
    static final class Norm extends MulticastSystem {
        private static final String PORT = "6003";
        private static final int FIRST_NODE = 100;
        /** NORM counts its messages; a packet of 1,432 octets, which is the usual one, has 28 more of UDP and IP. */
        private static final double OF_WIRE = 1_432.0 / 1_460;

        private final String program = NativeTool.make("tests/benchmarks", "norm", "tamanoir-norm").toString();

        Norm(MulticastTestbed testbed, LabPlan plan) {
            super(testbed, plan);
        }

        @Override
        List<String> receiver(int number) {
            return List.of(program, "receive", ports.get(number).name(), LabBench.GROUP, PORT, Integer.toString(FIRST_NODE + number),
                    folder(number).toString(), LabBench.FILE);
        }

        @Override
        List<String> sender(Path file) {
            return List.of(program, "send", testbed.access().first().name(), LabBench.GROUP, PORT, Long.toString(Math.round(plan.bits() * OF_WIRE)),
                    Integer.toString(plan.expected()), file.toString());
        }

        /** It cannot know when everybody has everything. */
        @Override
        boolean senderEnds() {
            return false;
        }
    }

    /**
     * UFTP, not encrypted, tuned as its manual page says: blocks of 100 octets less than the path's MTU, the round trip that is known in place
     * of half a second (first, least and most), and the most that it repeats its messages (-s), because a quarter of them may be lost.
     */
    static final class Uftp extends MulticastSystem {
        /** For the data; the other group is for announcements. */
        static final String PRIVATE_GROUP = "239.5.5.5";
        private static final int PORT = 1044;
        private static final String BUFFER = "1048576";
        /** It counts 1,024 bits as a kilobit. */
        private static final double BITS = 1_024;

        Uftp(MulticastTestbed testbed, LabPlan plan) {
            super(testbed, plan);
        }

        @Override
        List<String> receiver(int number) {
            // What is not yet whole is in a folder of the same file system.
            return List.of("uftpd", "-d", "-q", "-I", ports.get(number).name(), "-M", LabBench.GROUP, "-p", Integer.toString(PORT), "-B", BUFFER,
                    "-D", folder(number).toString(), "-T", files.folder("spare" + number).toString());
        }

        /** It says nothing when it is ready: its kernel knows when it listens. */
        @Override
        void awaitReady(LabProcess receiver, Port port) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!port.host().run("cat", "/proc/net/udp", "/proc/net/udp6").output().contains(String.format(":%04X ", PORT))) {
                if (System.nanoTime() > end || !receiver.isAlive()) {
                    throw new LabException("uftpd does not listen: " + receiver.errors());
                }
                Pause.millis(5);
            }
        }

        @Override
        List<String> sender(Path file) {
            return List.of("uftp", "-R", Long.toString(Math.round(plan.bits() / BITS)), "-I", testbed.access().first().name(), "-M", LabBench.GROUP,
                    "-P", PRIVATE_GROUP, "-p", Integer.toString(PORT), "-t", "8", "-B", BUFFER, "-b", "1400", "-r", "0.05:0.02:5", "-s", "50",
                    file.toString());
        }
    }
}
