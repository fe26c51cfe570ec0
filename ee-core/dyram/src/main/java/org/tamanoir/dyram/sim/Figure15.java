package org.tamanoir.dyram.sim;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.wire.Message;

/**
 * The run of figures 14 and 15 of the active grid paper: a source at CERN, seven receivers at three sites, and packet 28 lost by one of the
 * two hosts at ENS. The paper names neither the other sites nor their hosts; two and three are ours.
 */
public final class Figure15 {
    /** The packet that is lost: its sequence number. */
    public static final long PACKET = 28;
    /** Packets of the session. */
    public static final int PACKETS = 60;
    /** The host that loses it, and the one that has it. */
    public static final String LOSER = "ENS 1";
    public static final String REPLIER = "ENS 2";
    /** The node at the campus of ENS, and the one at the edge of CERN. */
    public static final String ENS = "ENS node";
    public static final String CERN = "CERN node";

    private static final int[] HOSTS = {2, 2, 3};
    private static final List<String> SITES = List.of("ENS", "site B", "site C");
    private static final int PACKET_SIZE = 1_000;
    private static final long RATE = 10_000_000;
    private static final long MICRO = 1_000;
    private static final long LIMIT = 20_000_000_000L;

    private final Simulation simulation;
    private final Tree tree;
    private final Trace trace;
    private final MemoryContent content;

    /** @param settings of the nodes; the source's node and those of the sites have the same */
    public Figure15(long seed, HopSettings settings) {
        simulation = new Simulation(seed);
        tree = new Tree(simulation, HOSTS, 100 * MICRO, 5_000 * MICRO, 100 * MICRO, settings, settings);
        trace = new Trace(PACKET, this::name);
        content = new MemoryContent(PACKETS, PACKET_SIZE, seed);
    }

    /** The run with every service. */
    public static Trace trace(long seed) {
        Figure15 figure = new Figure15(seed, HopSettings.DEFAULT);
        figure.run();
        return figure.trace;
    }

    /** Runs the session to its end. @return whether it ended */
    public boolean run() {
        boolean[] dropped = {false};
        InetSocketAddress loser = tree.hosts().get(0).address();
        simulation.pipe(tree.sites().get(0), loser).drop(message -> {
            boolean drop = !dropped[0] && message instanceof Message.Data data && data.sequence() == PACKET;
            dropped[0] |= drop;
            return drop;
        });
        simulation.observer(trace);
        tree.start(content, PACKET_SIZE, RATE, 0);
        return simulation.runUntil(() -> tree.sourceCore().status().state() == SourceStatus.State.OVER, LIMIT);
    }

    private String name(InetSocketAddress address) {
        if (address.equals(tree.source())) {
            return "CERN";
        } else if (address.equals(tree.core())) {
            return CERN;
        }
        int site = tree.sites().indexOf(address);
        if (site >= 0) {
            return SITES.get(site) + " node";
        }
        // "host 1.2" is the second host of the first site.
        String[] numbers = simulation.name(address).substring("host ".length()).split("\\.");
        return SITES.get(Integer.parseInt(numbers[0]) - 1) + " " + numbers[1];
    }

    public Trace trace() {
        return trace;
    }

    public Tree tree() {
        return tree;
    }

    public MemoryContent content() {
        return content;
    }
}
