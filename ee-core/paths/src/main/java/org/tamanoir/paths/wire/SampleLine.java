package org.tamanoir.paths.wire;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Plan;

/**
 * One line of {@code POST /v1/samples}: what one run of a session found.
 *
 * @param theodolite that ran it
 * @param boot       milliseconds of the epoch at which it began to count
 * @param number     counts its samples since then, from 1. With {@code boot} it tells whether a line came before
 * @param session    {@code TASK/CLASS/FROM/TO}; {@code FROM} is the theodolite
 * @param kind       what was measured
 * @param time       at which the run ended, milliseconds of the epoch
 * @param values     by their names ({@link SampleValue}); none is NaN
 */
public record SampleLine(String theodolite, long boot, long number, String session, Measurement.Kind kind, long time, Map<String, Double> values) implements Line {
    public static final int MOST_VALUES = 32;
    private static final Pattern VALUE_NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    public SampleLine {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** @throws AnepException EE-781 that names the key */
    public static SampleLine parse(String line) {
        if (Line.parse(line) instanceof SampleLine sample) {
            return sample;
        }
        throw new AnepException(ErrorCode.BAD_SAMPLE, "kind: it is no measurement");
    }

    static SampleLine of(Keys keys) {
        Keys values = keys.section("values");
        Map<String, Double> numbers = new LinkedHashMap<>();
        for (String name : values.names()) {
            if (!VALUE_NAME.matcher(name).matches()) {
                throw keys.bad("values", "'" + name + "' is no name of a value");
            }
            double number = values.number(name);
            String problem = SampleValue.problem(name, number);
            if (problem != null) {
                throw values.bad(name, problem);
            }
            numbers.put(name, number);
        }
        if (numbers.isEmpty() || numbers.size() > MOST_VALUES) {
            throw keys.bad("values", "there are " + numbers.size() + "; there must be from 1 to " + MOST_VALUES);
        }
        SampleLine sample = new SampleLine(keys.text("theodolite"), keys.whole("boot", 0, 1L << 53), keys.whole("number", 1, 1L << 53), keys.text("session"), PlannedSession.kind(keys),
                keys.whole("time", 0, 1L << 53), numbers);
        String[] parts = sample.session.split("/", -1);
        if (parts.length != 4 || !Arrays.stream(parts).allMatch(each -> Plan.NAME.matcher(each).matches())) {
            throw keys.bad("session", "it is not TASK/CLASS/FROM/TO");
        }
        if (!sample.from().equals(sample.theodolite)) {
            throw keys.bad("session", "it is a session of " + sample.from() + ", not of " + sample.theodolite);
        }
        return sample;
    }

    /** The theodolite at which it was measured. */
    public String from() {
        return session.split("/", -1)[2];
    }

    /** The theodolite to which. */
    public String to() {
        return session.split("/", -1)[3];
    }

    public String qosClass() {
        return session.split("/", -1)[1];
    }

    @Override
    public String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("theodolite", theodolite);
        map.put("boot", boot);
        map.put("number", number);
        map.put("session", session);
        map.put("kind", kind.text());
        map.put("time", time);
        map.put("values", values);
        return Json.write(map);
    }
}
