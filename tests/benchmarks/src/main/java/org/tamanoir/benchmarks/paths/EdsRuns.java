package org.tamanoir.benchmarks.paths;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.tamanoir.qos.eds.BulkMarking;
import org.tamanoir.qos.eds.EdsParameters;
import org.tamanoir.qos.eds.Marking;
import org.tamanoir.qos.eds.Red;
import org.tamanoir.qos.eds.SimulatedLink;
import org.tamanoir.qos.eds.SimulatedLink.ClassCount;
import org.tamanoir.qos.eds.SimulatedTransfer;
import org.tamanoir.qos.eds.Simulation;

/** The experiments of the report's section 4 on a simulated link of 100 Mbit/s; each run has a seed of its own. */
final class EdsRuns {
    static final double RATE = 1e8;
    static final int PACKET = 1_000;
    /** Octets of a frame on Ethernet with preamble and gap, and what a transfer has of it. */
    static final int FRAME = 1_538;
    static final int PAYLOAD = 1_448;
    /** Where a transfer goes that knows nothing of classes, and where LM-TP goes without a loss: in the middle. */
    static final int MIDDLE = 2;
    /** The report's average packet. */
    private static final int AVERAGE_PACKET = 1_065;
    private static final Red RED = Red.of(6_000, 80_000, 0.1, RATE, AVERAGE_PACKET, 30);
    private static final double NANOS = 1e9;

    /** The routers of figures 40 and 41. */
    enum Router {
        /** One queue of a hundred packets, as Linux had it. */
        IP(new EdsParameters(100 * AVERAGE_PACKET, 0, List.of(1), List.of(1), null)),
        RED_ONLY(new EdsParameters(100_000, 0, List.of(1), List.of(1), RED)),
        NO_DIFF(new EdsParameters(100_000, 1_200, EdsParameters.SAME, EdsParameters.SAME, RED)),
        DIFF(new EdsParameters(100_000, 1_200, EdsParameters.DELAY, EdsParameters.LOSS, RED));

        private final EdsParameters parameters;

        Router(EdsParameters parameters) {
            this.parameters = parameters;
        }
    }

    /** What a transfer is marked by. */
    enum Transport {
        TCP(() -> Marking.fixed(MIDDLE)),
        LM_TP(() -> new BulkMarking(6, MIDDLE));

        private final Supplier<Marking> marking;

        Transport(Supplier<Marking> marking) {
            this.marking = marking;
        }
    }

    /** What a transfer got: Mbit/s of payload, and how often its timer ran out. */
    record Bulk(double rate, int timeouts) {
    }

    private EdsRuns() {
    }

    static EdsParameters tail(int octets, int history, List<Integer> delay, List<Integer> loss) {
        return new EdsParameters(octets, history, delay, loss, null);
    }

    static EdsParameters early(int history, List<Integer> delay, List<Integer> loss) {
        return new EdsParameters(100_000, history, delay, loss, RED);
    }

    /** Six classes with the same arrivals. */
    static List<ClassCount> classes(EdsParameters parameters, double load, double seconds, long seed) {
        Simulation simulation = new Simulation(seed);
        SimulatedLink link = new SimulatedLink(simulation, parameters, RATE);
        link.background(load, PACKET);
        simulation.runUntil((long) (seconds * NANOS));
        return link.counts();
    }

    /** The same, in parts of a tenth of a second. */
    static List<List<ClassCount>> series(EdsParameters parameters, double load, int parts, long seed) {
        Simulation simulation = new Simulation(seed);
        SimulatedLink link = new SimulatedLink(simulation, parameters, RATE);
        link.background(load, PACKET);
        List<List<ClassCount>> series = new ArrayList<>();
        for (int i = 1; i <= parts; i++) {
            simulation.runUntil(i * 100_000_000L);
            series.add(link.counts());
            link.forget();
        }
        return series;
    }

    /** A transfer among datagrams at random times, of all classes alike. @param load of the datagrams @param roundTrip milliseconds */
    static Bulk bulk(Router router, Transport transport, double load, double roundTrip, double seconds, long seed) {
        Simulation simulation = new Simulation(seed);
        SimulatedLink link = new SimulatedLink(simulation, router.parameters, RATE);
        if (load > 0) {
            link.background(load, AVERAGE_PACKET);
        }
        SimulatedTransfer transfer = new SimulatedTransfer(simulation, link, transport.marking.get(), FRAME, (long) (roundTrip * 1e6), Long.MAX_VALUE, 2, () -> { });
        simulation.runUntil((long) (seconds * NANOS));
        return new Bulk(transfer.answered() * 8.0 * PAYLOAD / seconds / 1e6, transfer.timeouts());
    }

    /** Round trips that messages of four packets take, sorted: a message every half a second among datagrams. @param window packets that go at once */
    static double[] messages(Marking marking, int window, double load, int count, long seed) {
        long roundTrip = 50_000_000;
        Simulation simulation = new Simulation(seed);
        SimulatedLink link = new SimulatedLink(simulation, Router.DIFF.parameters, RATE);
        link.background(load, PACKET);
        double[] taken = new double[count];
        int[] ended = new int[1];
        for (int i = 0; i < count; i++) {
            simulation.runUntil(simulation.now() + 500_000_000);
            long from = simulation.now();
            new SimulatedTransfer(simulation, link, marking, PACKET, roundTrip, 4, window, () -> taken[ended[0]++] = (double) (simulation.now() - from) / roundTrip);
        }
        for (int i = 0; ended[0] < count && i < 10_000; i++) {
            simulation.runUntil(simulation.now() + 100_000_000);
        }
        double[] whole = Arrays.copyOf(taken, ended[0]);
        Arrays.sort(whole);
        return whole;
    }
}
