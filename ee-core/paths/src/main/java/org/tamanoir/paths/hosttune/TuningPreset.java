package org.tamanoir.paths.hosttune;

import java.util.List;
import java.util.Optional;
import org.tamanoir.paths.hosttune.Treatment.Wad;

/**
 * Numbers that somebody has tried, and why they were those.
 *
 * @param reasons one for each number
 * @param warning what whoever takes it should know
 */
public record TuningPreset(String name, Treatment treatment, List<String> reasons, String warning) {
    /** The Work Around Daemon of Net100 as it was set at iGrid 2002: 200 Mbit/s became 700 over 98 ms. */
    public static final TuningPreset WAD_2003 = new TuningPreset("wad-2003", new Treatment(Treatment.WAD, new Wad(4, 0.0125, 200), null, 0),
            List.of("md 0.0125: one loss costs an eightieth of the window, not half of it", "ai 4: the window grows by four segments in a round trip, so that the loss is made up for in "
                    + "1/160 of Reno's time: 0.27 s, not 43 s, at 100 Mbit/s and 100 ms",
                    "max-ssthresh 200: slow start adds at most 100 segments in a round trip from there on (RFC 3742 recommends 100), so that it does not end by losing half a window at once",
                    "poll 100ms: how often open flows were looked at"),
            "Where it shares a queue with others it takes from them: at equal loss 14.6 times the share of a Reno flow. Its authors had 'insufficient time to test the network friendliness' "
                    + "and did not give it away. Use it on paths that are yours, or whose operators agree.");

    public static final List<TuningPreset> ALL = List.of(WAD_2003);

    public static Optional<TuningPreset> of(String name) {
        return ALL.stream().filter(each -> each.name.equals(name)).findFirst();
    }
}
