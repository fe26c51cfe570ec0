package org.tamanoir.paths.wire;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * One line of {@code POST /v1/samples}: what one TCP stream of the theodolite's node did since its beginning, or since the line before of the same stream.
 *
 * @param theodolite  in the node that the stream passes
 * @param time        at the end of that, milliseconds of the epoch
 * @param stream      the node's number for it
 * @param source      host that sends: an address, or a prefix if the theodolite cuts addresses
 * @param destination host that it is for
 * @param qosClass    {@code be} if it is in none
 * @param ended       whether the stream is over
 * @param octets      that came from the source in this time
 * @param size        octets that have come since the stream began
 * @param seconds     of this time
 * @param streams     between the two hosts at once, with this one, at most
 * @param cause       what held it up the longest: the word of a verdict
 * @param share       of the time in which it did, 0 to 1; of {@code nothing} the part in which nothing held it up
 * @param sure        whether there was no doubt between the source and the path from it
 * @param sentence    for people
 */
public record StreamLine(String theodolite, long boot, long number, long time, long stream, String source, String destination, String qosClass, boolean ended, long octets, long size,
        double seconds, int streams, String cause, double share, boolean sure, String sentence) implements Line {
    public static final String KIND = "stream";
    private static final int MOST_STREAMS = 1_000_000;
    private static final double LONGEST_SECONDS = 366 * 86_400;
    private static final double MEGA = 1e6;
    /** Less is how TCP begins. */
    private static final long LEAST_OCTETS = 10_000_000;
    private static final double LEAST_SECONDS = 5;
    private static final double MOST_OF_THE_TIME = 0.5;
    private static final int BITS = 8;
    private static final Pattern CAUSE = Pattern.compile("[a-z][a-z-]{0,31}");

    static StreamLine of(Keys keys) {
        StreamLine line = new StreamLine(keys.name("theodolite"), keys.whole("boot", 0, 1L << 53), keys.whole("number", 1, 1L << 53), keys.whole("time", 0, 1L << 53),
                keys.whole("stream", 0, Long.MAX_VALUE), keys.host("source"), keys.host("destination"), keys.name("class"), keys.flag("ended", false), keys.whole("octets", 0, 1L << 53),
                keys.whole("size", 0, 1L << 53), keys.number("seconds"), (int) keys.whole("streams", 1, MOST_STREAMS), keys.text("cause"), keys.number("share"), keys.flag("sure", false), keys.text("sentence", ""));
        if (!(line.seconds > 0 && line.seconds <= LONGEST_SECONDS)) {
            throw keys.bad("seconds", line.seconds + " is no time from 0 to a year");
        }
        if (!(line.share >= 0 && line.share <= 1)) {
            throw keys.bad("share", line.share + " is no ratio from 0 to 1");
        }
        if (!CAUSE.matcher(line.cause).matches()) {
            throw keys.bad("cause", "it must be one word of small letters and dashes");
        }
        return line;
    }

    /** Mbit/s on average. */
    public double mbits() {
        return octets * BITS / seconds / MEGA;
    }

    /**
     * Whether its rate is what the path carries. Where the source, the receiver, the node or a class held it up, or another stream went beside it, the path may carry
     * more, and nobody knows how much.
     */
    public boolean isRateOfThePath() {
        return sure && share >= MOST_OF_THE_TIME && (cause.equals("path-before") || cause.equals("path-after")) && streams == 1 && octets >= LEAST_OCTETS && seconds >= LEAST_SECONDS
                && !source.contains("/") && !destination.contains("/");
    }

    @Override
    public String json() {
        return Json.write(map());
    }

    /** Its keys and values; whoever gets it may change it. */
    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("theodolite", theodolite);
        map.put("boot", boot);
        map.put("number", number);
        map.put("kind", KIND);
        map.put("time", time);
        map.put("stream", stream);
        map.put("source", source);
        map.put("destination", destination);
        map.put("class", qosClass);
        map.put("ended", ended);
        map.put("octets", octets);
        map.put("size", size);
        map.put("seconds", seconds);
        map.put("streams", streams);
        map.put("cause", cause);
        map.put("share", share);
        map.put("sure", sure);
        map.put("sentence", sentence);
        return map;
    }
}
