package org.tamanoir.benchmarks.parts;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.lab.LabRequirements;

/**
 * Parts of a bench, in the order in which they run.
 *
 * @param laboratory whether they need namespaces, and so root
 * @param <P>        their plan
 */
public record Parts<P>(List<Part<P>> parts, boolean laboratory) {
    /** In the laboratory. */
    public Parts(List<Part<P>> parts) {
        this(parts, true);
    }

    /** On loopback, where everybody may measure. */
    public static <P> Parts<P> onLoopback(List<Part<P>> parts) {
        return new Parts<>(parts, false);
    }

    /**
     * Some of them.
     *
     * @param names in the order in which they are to run; null for all
     * @throws IllegalArgumentException if there is none of a name; the message says which there are
     */
    public Parts<P> chosen(List<String> names) {
        return names == null ? this : new Parts<>(names.stream().map(this::named).distinct().toList(), laboratory);
    }

    private Part<P> named(String name) {
        return parts.stream().filter(each -> each.name().equalsIgnoreCase(name)).findFirst().orElseThrow(() -> new IllegalArgumentException(
                "there is no part '" + name + "': " + parts.stream().map(Part::name).collect(Collectors.joining(", "))));
    }

    /**
     * Measures one after the other.
     *
     * @param progress told what is being done, a line at a time
     * @throws org.tamanoir.lab.LabException if the laboratory cannot be had; the message names the remedy
     */
    public Findings run(P plan, Consumer<String> progress) {
        if (laboratory) {
            LabRequirements.check().installMissing().orThrow();
        }
        Map<String, String> machine = Machine.describe();
        List<Outcome> outcomes = parts.stream().map(part -> part.run(plan, progress)).toList();
        outcomes.forEach(outcome -> machine.putAll(outcome.conditions()));
        return new Findings(Machine.after(machine), outcomes);
    }
}
