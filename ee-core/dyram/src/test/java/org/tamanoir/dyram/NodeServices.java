package org.tamanoir.dyram;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.wire.ServiceChoice;
import org.tamanoir.dyram.wire.ServiceSet;
import org.tamanoir.dyram.wire.ServiceSet.Service;

/** What a session asks nodes for, what the operator of each allows, and what may be expected of a network of them. */
final class NodeServices {
    private final SplittableRandom random;
    private final ServiceChoice choice;
    private final Map<Place, HopSettings> allowed = new HashMap<>();

    private NodeServices(SplittableRandom random, ServiceChoice choice) {
        this.random = random;
        this.choice = choice;
    }

    /** Everything is asked for and allowed. */
    static NodeServices all() {
        return new NodeServices(null, ServiceChoice.ALL);
    }

    /** Some services; every fourth session asks for all, and every third node allows all. */
    static NodeServices mixed(long seed) {
        SplittableRandom random = new SplittableRandom(~seed);
        ServiceChoice choice = random.nextInt(4) == 0 ? ServiceChoice.ALL
                : new ServiceChoice(new ServiceSet(random.nextInt(256)), new ServiceSet(random.nextInt(256)));
        return new NodeServices(random, choice);
    }

    ServiceChoice choice() {
        return choice;
    }

    /** What the operator of the next node allows. */
    HopSettings draw() {
        if (random == null || random.nextInt(3) == 0) {
            return HopSettings.DEFAULT;
        }
        Election[] elections = Election.values();
        return HopSettings.DEFAULT.detect(random.nextBoolean()).aggregate(random.nextBoolean()).subcast(random.nextBoolean())
                .repairTimer(random.nextBoolean()).elect(elections[random.nextInt(elections.length)]);
    }

    void allow(Place node, HopSettings settings) {
        allowed.put(node, settings);
    }

    private HopSettings does(Place node) {
        return allowed.get(node).within(choice.of(node.above() == null));
    }

    /** Whether a node asks above for a packet once in a round trip: it gathers requests, and does not take a repeated one as a sign. */
    boolean asksOnce(Place node) {
        return does(node).aggregate() && does(node).repairTimer();
    }

    /**
     * Whether a repair comes to a place only where it is missing: the place above sends it so, and no place beneath asks without need. One that
     * may be elected and elects nobody does: it says that the packet is not to be had there, which is taken for missing it.
     */
    boolean repairsScoped(Place place) {
        boolean elected = place.above() != null && does(place.above()).elect() == Election.ALL;
        return (place.above() == null || isScoped(place.above())) && (place.isHost() || isScopedBelow(place, elected));
    }

    private boolean isScopedBelow(Place node, boolean elected) {
        return isScoped(node) && (!elected || does(node).elect() == Election.ALL)
                && node.below().stream().allMatch(place -> place.isHost() || isScopedBelow(place, elected));
    }

    private boolean isScoped(Place node) {
        return does(node).aggregate() && does(node).subcast();
    }

    /** Whether a node says what it does, and what was asked of it by name in vain; nothing if it was restarted and has not heard of the session. */
    boolean isReported(Place node) {
        ServiceSet asked = choice.of(node.above() == null);
        List<?> refused = asked.equals(ServiceSet.ALL) ? List.of() : asked.less(does(node).services()).names();
        List<?> sessions = (List<?>) node.node().report().get("sessions");
        return sessions.stream().map(session -> (Map<?, ?>) session).allMatch(session ->
                session.get("services").equals(does(node).services().names()) && session.get("refused").equals(refused)
                && node.node().sessions(Service.DETECT) == (does(node).detect() ? 1 : 0));
    }
}
