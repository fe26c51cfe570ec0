package org.tamanoir.services.interest.filter;

import com.google.protobuf.Descriptors.Descriptor;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelVariableResolver;
import java.util.Optional;
import java.util.Set;

/** A predicate that has been compiled; shared by all filters that have it. Whoever uses it decides which thread it is. */
public final class Where implements CelVariableResolver {
    private final CelRuntime.Program program;
    private final Descriptor message;
    private final Set<String> topics;
    private EventData data;
    private long asked = -1;
    private boolean answer;

    Where(CelRuntime.Program program, Descriptor message, Set<String> topics) {
        this.program = program;
        this.message = message;
        this.topics = topics;
    }

    /** The topics of which it can be true; null for all. */
    public Set<String> topics() {
        return topics;
    }

    /** Whether this event has been asked about. @param number of the event; each has another one */
    public boolean isKnown(long number) {
        return asked == number;
    }

    /** Whether it is true of an event. What fails, as for a field that is not there or a text that is compared with a number, is not true. */
    public boolean test(long number, EventData event) {
        if (asked != number) {
            asked = number;
            data = event;
            try {
                answer = Boolean.TRUE.equals(program.eval(this));
            } catch (CelEvaluationException | RuntimeException e) {
                answer = false;
            }
            data = null;
        }
        return answer;
    }

    @Override
    public Optional<Object> find(String name) {
        return switch (name) {
            case "data" -> Optional.ofNullable(message == null ? data.value() : data.message(message));
            case "topic" -> Optional.of(data.topic());
            case "x" -> data.event().hasPosition() ? Optional.of(data.event().x()) : Optional.empty();
            case "y" -> data.event().hasPosition() ? Optional.of(data.event().y()) : Optional.empty();
            case "size" -> Optional.of((long) data.event().dataLength());
            default -> Optional.empty();
        };
    }
}
