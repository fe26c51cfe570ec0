package org.tamanoir.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.qos.Part;
import org.tamanoir.benchmarks.qos.adaptation.Adaptation;
import org.tamanoir.benchmarks.qos.cost.Cost;
import org.tamanoir.benchmarks.qos.precision.Precision;
import org.tamanoir.benchmarks.qos.qbss.Qbss;
import org.tamanoir.benchmarks.qos.table1.Table1;

/** The parts of {@code bench qos}, in the order in which they run. */
final class QosParts {
    static final List<Part> ALL = List.of(new Table1(), new Qbss(), new Precision(), new Adaptation(), new Cost());

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
