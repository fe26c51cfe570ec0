package org.tamanoir.service.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;

/** Options from a map. Values are taken by their text, as an operator would write them. */
final class MapConfiguration implements Configuration {
    private final Map<String, String> options = new TreeMap<>();

    MapConfiguration(Map<String, ?> options) {
        options.forEach((name, value) -> this.options.put(name, value.toString()));
    }

    @Override
    public String text(String name, String preset) {
        return options.getOrDefault(name, preset);
    }

    @Override
    public String choice(String name, String preset, List<String> allowed) {
        String value = text(name, preset);
        if (!allowed.contains(value)) {
            throw bad(name, value, "one of " + String.join(", ", allowed));
        }
        return value;
    }

    @Override
    public int integer(String name, int preset, int least, int most) {
        String value = options.get(name);
        if (value == null) {
            return preset;
        }
        String wanted = "a whole number from " + least + " to " + most;
        try {
            int number = Integer.parseInt(value);
            if (number < least || number > most) {
                throw bad(name, value, wanted);
            }
            return number;
        } catch (NumberFormatException e) {
            throw bad(name, value, wanted);
        }
    }

    @Override
    public boolean flag(String name, boolean preset) {
        return Boolean.parseBoolean(choice(name, Boolean.toString(preset), List.of("true", "false")));
    }

    @Override
    public Duration duration(String name, Duration preset) {
        String value = options.get(name);
        if (value == null) {
            return preset;
        }
        try {
            if (value.endsWith("ms")) {
                return Duration.ofMillis(Long.parseLong(value.substring(0, value.length() - 2)));
            }
            return Duration.parse("PT" + value);
        } catch (RuntimeException e) {
            throw bad(name, value, "a time as in 250ms, 10s, 5m");
        }
    }

    @Override
    public Set<String> names() {
        return Set.copyOf(options.keySet());
    }

    private static AnepException bad(String name, String value, String wanted) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "option " + name + " is '" + value + "' and should be " + wanted);
    }
}
