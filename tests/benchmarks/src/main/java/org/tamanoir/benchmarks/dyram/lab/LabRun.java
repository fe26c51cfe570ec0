package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.PacketCounter;
import org.tamanoir.lab.MulticastTestbed.Traffic;

/** Runs one transmission of one system in one case. */
record LabRun(MulticastTestbed testbed, LabPlan plan, Path file) {
    /** How often it is asked who has the file: what a time may be too long by. */
    private static final Duration STEP = Duration.ofMillis(5);
    /** How long a sender that ends by itself may go on when everybody has the file. What it sends meanwhile counts. */
    private static final Duration FAREWELL = Duration.ofSeconds(5);
    /** After the end of the sender nothing comes later than this. */
    private static final Duration ARRIVAL = Duration.ofSeconds(1);

    /**
     * What it gave. Octets are of IP packets, of all that was sent from the start of the receivers to their end.
     *
     * @param seconds    from the command to send until the last receiver had the whole file; NaN if one never had
     * @param complete   receivers that had the whole file within the limit
     * @param identical  those whose copy is what was sent
     * @param sourceLink octets on the source's link from the source, in parts of the file
     * @param sitesDown  octets on the links from the core to the sites, in parts of the file and for each site
     * @param sitesUp    the same, from the sites to the core
     * @param control    packets that came to the source
     * @param cpu        seconds of all processes together, nodes included
     * @param starting   of these, what processes that outlive the transmission took before it began: the start of JVMs where they are cold
     * @param compilers  of these, what their JVMs took for themselves meanwhile; see {@link JvmTime}
     * @param overflows  datagrams that a receiver's socket had no room for: not a loss of the network
     * @param missing    what the receivers without the file said about it, a line each
     */
    record Figures(double seconds, int complete, int identical, double sourceLink, double sitesDown, double sitesUp, long control, double cpu,
            double starting, double compilers, long overflows, List<String> missing) {
    }

    /**
     * Runs it, and stops the system.
     *
     * @throws LabException if the system does not start, or the laboratory lost packets that were not to be lost
     */
    Figures measure(MulticastSystem system, LabPlan.Loss loss) {
        loss.apply(testbed);
        long droppedBefore = testbed.delayed().dropped();
        long overflowsBefore = overflows();
        Traffic trafficBefore = testbed.traffic();
        double childrenBefore = JvmTime.ofChildren();
        JvmTime before = system.standing();
        JvmTime started;
        double seconds;
        BitSet has = new BitSet();
        long identical;
        List<String> missing;
        try (system) {
            system.startReceivers();
            started = system.standing();
            long start = System.nanoTime();
            system.send(file);
            awaitCopies(system, start + Duration.ofSeconds(plan.limit()).toNanos(), has);
            boolean complete = has.cardinality() == plan.expected();
            seconds = complete ? (System.nanoTime() - start) / 1e9 : Double.NaN;
            if (system.senderEnds() && complete) {
                long end = System.nanoTime() + FAREWELL.toNanos();
                while (system.isSending() && System.nanoTime() < end) {
                    Pause.of(STEP);
                }
            }
            identical = has.stream().filter(i -> isCopy(system.copy(i))).count();
            missing = IntStream.range(0, plan.expected()).filter(i -> !has.get(i)).mapToObj(i -> "receiver " + (i + 1) + " " + system.lastWords(i)).toList();
        }
        JvmTime end = system.standing();
        double used = JvmTime.ofChildren() - childrenBefore + end.minus(before).total();
        Traffic traffic = testbed.traffic().minus(trafficBefore);
        long dropped = testbed.delayed().dropped() - droppedBefore;
        if (dropped > 0) {
            throw new LabException("the delay box has dropped " + dropped + " packets: this machine was too busy for the run to count");
        }
        return new Figures(seconds, has.cardinality(), (int) identical, files(traffic.fromSource(), 1),
                files(Traffic.sum(traffic.toSites()), plan.sites()), files(Traffic.sum(traffic.fromSites()), plan.sites()),
                traffic.toSource().packets(), used, started.minus(before).total(), end.minus(started).compilers(), overflows() - overflowsBefore, missing);
    }

    /** Waits until everybody has the file, or the time is over, or the sender has ended and nobody else can get it. @param has told who has it */
    private void awaitCopies(MulticastSystem system, long end, BitSet has) {
        long last = end;
        boolean ended = false;
        while (has.cardinality() < plan.expected() && System.nanoTime() < last) {
            if (!ended && !system.isSending()) {
                ended = true;
                // What it has sent is still on its way.
                last = Math.min(end, System.nanoTime() + ARRIVAL.toNanos());
            }
            IntStream.range(0, plan.expected()).filter(i -> !has.get(i) && Files.exists(system.copy(i))).forEach(has::set);
            if (has.cardinality() < plan.expected()) {
                Pause.of(STEP);
            }
        }
    }

    private boolean isCopy(Path copy) {
        try {
            return Files.mismatch(file, copy) < 0;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot compare " + copy, e);
        }
    }

    private double files(PacketCounter.Count count, int links) {
        return count.bytes() / (double) (plan.octets() * links);
    }

    /** Datagrams that found no room in a socket of a receiver, all receivers together ({@code proc_net_snmp}, RcvbufErrors). */
    private long overflows() {
        return testbed.receivers().mapToLong(LabRun::overflows).sum();
    }

    private static long overflows(Host host) {
        List<String[]> udp = host.run("cat", "/proc/net/snmp").output().lines().filter(line -> line.startsWith("Udp:"))
                .map(line -> line.split(" ")).toList();
        return Long.parseLong(udp.get(1)[List.of(udp.get(0)).indexOf("RcvbufErrors")]);
    }
}
