package org.tamanoir.fleet.rollout;

import java.util.Map;
import org.tamanoir.fleet.state.FleetState;
import org.tamanoir.fleet.state.NodePart;

/** A generation, read, with the part of each of its nodes. */
record Compiled(Generation generation, FleetState state, Map<String, NodePart> parts) {
    static Compiled of(Generation generation) {
        FleetState state = FleetState.read(generation.state());
        return new Compiled(generation, state, NodePart.all(state));
    }
}
