package org.tamanoir.services.qosdecision;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.qos.ServiceLevel.Goal.Level;

/**
 * The options of the service.
 *
 * @param fresh     older samples, in seconds, say nothing
 * @param periods   decisions in a row that want a class before a flow goes there
 * @param cheaper   the same of a cheaper class that keeps every limit with headroom
 * @param quiet     between two changes of a flow, nanoseconds; over TCP at least {@value #ROUND_TRIPS} round trips
 * @param tolerance a class whose weighted score is so much worse than the best one is as good, per cent
 * @param headroom  how far within its limits a class must be for a flow to go there from one that does too, per cent
 * @param words     limits that words stand for
 */
record DecisionSettings(double fresh, int periods, int cheaper, long quiet, int tolerance, int headroom, Map<Metric, Map<Level, Double>> words) {
    /** In so many, packets in flight before a change have arrived, and TCP has seen what the new class gives it. */
    static final int ROUND_TRIPS = 10;
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final double MOST = 1e9;

    /**
     * What the words mean for the paths of a grid. Delay: 10 ms is a country wide network that is empty (table 1 of the active grid paper: 5.8 ms),
     * 100 ms a continent; a stream of several megabytes a second hardly feels 1 s. Loss: at 0.1 % TCP still fills some megabits a second, at 10 % nothing
     * does. Rate: a session of 1 Mb/s is a terminal or a control channel, 10 Mb/s a picture, 40 Mb/s a bulk transfer of the same table. Stability: the rate of a
     * TCP flow that goes up and down between half of its best and its best has a coefficient of variation of 1/sqrt(27), 19 % (a saw-tooth); medium
     * lets it do that, high does not.
     */
    private static final Map<Metric, double[]> PRESETS = Map.of(Metric.DELAY, new double[] {10, 100, 1000}, Metric.JITTER, new double[] {1, 10, 100},
            Metric.LOSS, new double[] {0.1, 1, 10}, Metric.RATE, new double[] {1, 10, 40},
            Metric.VARIATION, new double[] {50, 25, 10});

    /** @throws AnepException EE-501 */
    static DecisionSettings of(Configuration options) {
        Map<Metric, Map<Level, Double>> words = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            words.put(metric, words(options, metric));
        }
        return new DecisionSettings(time(options, "fresh", Duration.ofSeconds(30)).toMillis() / 1e3, options.integer("periods", 3, 1, 1000),
                options.integer("cheaper", 2, 1, 1000), time(options, "quiet", Duration.ofSeconds(1)).toNanos(), options.integer("tolerance", 10, 0, 1000),
                options.integer("headroom", 10, 0, 90), words);
    }

    private static Map<Level, Double> words(Configuration options, Metric metric) {
        Map<Level, Double> limits = new EnumMap<>(Level.class);
        // More stability is less variation.
        boolean falls = metric == Metric.VARIATION;
        double before = falls ? Double.MAX_VALUE : 0;
        for (Level level : Level.values()) {
            String name = metric.key() + '-' + level.name().toLowerCase(Locale.ROOT);
            double limit = number(name, options.text(name, Double.toString(PRESETS.get(metric)[level.ordinal()])));
            if (falls ? limit > before : limit < before) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is " + limit + metric.unit() + (falls ? ", more" : ", less")
                        + " than the word before it: " + List.of(Level.values()) + (falls ? " must fall" : " must grow"));
            }
            before = limit;
            limits.put(level, limit);
        }
        return limits;
    }

    private static double number(String name, String text) {
        try {
            double number = Double.parseDouble(text.trim());
            if (number >= 0 && number <= MOST) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is '" + text + "'; it must be a number from 0 to 1e9");
    }

    private static Duration time(Configuration options, String name, Duration preset) {
        Duration time = options.duration(name, preset);
        if (time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, name + " is " + time.toMillis() + " ms; it must be from 1ms to 1h");
        }
        return time;
    }
}
