package org.tamanoir.repository.fleet;

import java.util.List;
import org.tamanoir.fleet.rollout.NodeStanding;
import org.tamanoir.fleet.rollout.NodeStanding.State;
import org.tamanoir.fleet.rollout.RolloutState;

/** What {@code /metrics} of a repository says of its fleet; nothing where nothing was ever applied. */
public final class FleetMetrics {
    private static final String PREFIX = "tamanoir_fleet_";

    /** Takes one metric. */
    public interface Sink {
        void metric(String name, String type, String help, long value);
    }

    private FleetMetrics() {
    }

    public static void of(FleetServer fleet, Sink sink) {
        fleet.look(core -> {
            if (core.state() == null) {
                return null;
            }
            List<NodeStanding> standings = core.standings(fleet.millis());
            RolloutState rollout = core.record().rollout();
            sink.metric(PREFIX + "generation", "gauge", "The newest generation.", core.record().generation());
            sink.metric(PREFIX + "nodes", "gauge", "Nodes of the fleet.", standings.size());
            sink.metric(PREFIX + "nodes_behind", "gauge", "Nodes that have not said that they have what they are to have.",
                    standings.stream().filter(each -> each.state() != State.HAS && each.state() != State.UNHEALTHY).count());
            sink.metric(PREFIX + "nodes_unhealthy", "gauge", "Nodes that have it and are not healthy.", count(standings, State.UNHEALTHY));
            sink.metric(PREFIX + "nodes_silent", "gauge", "Nodes that have not been heard of for too long.", count(standings, State.SILENT));
            sink.metric(PREFIX + "nodes_refusing", "gauge", "Nodes that do not take what they are to have.", count(standings, State.REFUSES));
            sink.metric(PREFIX + "rollout_running", "gauge", "1 while a roll-out goes on.", rollout.phase() == RolloutState.Phase.RUNNING ? 1 : 0);
            sink.metric(PREFIX + "rollout_stopped", "gauge", "1 if the last roll-out has stopped before its end.", rollout.phase() == RolloutState.Phase.STOPPED ? 1 : 0);
            return null;
        });
    }

    private static long count(List<NodeStanding> standings, State state) {
        return standings.stream().filter(each -> each.state() == state).count();
    }
}
