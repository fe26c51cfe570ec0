package org.tamanoir.cli.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * One thing that was looked at.
 *
 * @param area   ports, clock, kernel, …
 * @param remedy what to do; null if nothing is to be done
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Finding(String area, State state, String found, String remedy) {
    /** {@code warn}: a node runs, but less well, or not for long. {@code wrong}: it does not start, or streams fail. */
    public enum State {
        OK, WARN, WRONG;

        @Override
        @JsonValue
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding ok(String area, String found) {
        return new Finding(area, State.OK, found, null);
    }

    static Finding warn(String area, String found, String remedy) {
        return new Finding(area, State.WARN, found, remedy);
    }

    static Finding wrong(String area, String found, String remedy) {
        return new Finding(area, State.WRONG, found, remedy);
    }
}
