package org.tamanoir.benchmarks.paths;

import java.util.List;
import org.tamanoir.benchmarks.parts.Part;
import org.tamanoir.benchmarks.parts.Parts;

/** The parts of {@code bench paths}. */
public final class PathsParts {
    public static final Parts<PathsPlan> ALL = new Parts<>(List.of(
            new Part<>(Aqm.NAME, Aqm::run),
            new Part<>("eds", Equivalent::measure),
            new Part<>("wad", Wad::run),
            new Part<>("wadbeside", WadBeside::run),
            new Part<>("tune", Tuned::run)));

    private PathsParts() {
    }
}
