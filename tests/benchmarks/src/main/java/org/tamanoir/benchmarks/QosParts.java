package org.tamanoir.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.qos.Part;
import org.tamanoir.benchmarks.qos.precision.Precision;
import org.tamanoir.benchmarks.qos.qbss.Qbss;

/** The parts of {@code bench qos}, in the order in which they run. */
final class QosParts {
    static final List<Part> ALL = List.of(new Qbss(), new Precision());

    private QosParts() {
    }

    static Optional<Part> named(String name) {
        return ALL.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /** {@code qbss, precision}. */
    static String names() {
        return ALL.stream().map(Part::name).collect(Collectors.joining(", "));
    }
}
