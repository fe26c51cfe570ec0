package org.tamanoir.benchmarks.fleet;

import java.util.List;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;

/** The parts of {@code bench fleet}. */
public final class FleetParts {
    public static final Parts<FleetPlan> ALL = Parts.onLoopback(List.of(new Part<>("pulls", Pulls::run), new Part<>("upload-kills", UploadKills::run),
            new Part<>("simulation", SimulatedFleets::run), new Part<>("server", ServerOfMany::run)));

    private FleetParts() {
    }
}
