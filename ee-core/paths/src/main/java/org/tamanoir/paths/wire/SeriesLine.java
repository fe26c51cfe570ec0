package org.tamanoir.paths.wire;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.series.Series;

/**
 * One line of {@code POST /v1/series}: what the kernel said of one connection of a stream in up to a minute.
 *
 * @param time        of the last sample, milliseconds of the epoch
 * @param stream      the node's number for it
 * @param isAfter     whether it is the connection behind the node, on which the node sends; the one from the source otherwise
 * @param source      host that sends: an address, or a prefix if the theodolite cuts addresses
 * @param destination host that it is for
 * @param code        as {@link Series#encode} made it
 */
public record SeriesLine(String theodolite, long boot, long number, long time, long stream, boolean isAfter, String source, String destination, byte[] code) implements Line {
    /** Characters: a series in base 64, and the rest. */
    public static final int LONGEST = 66 << 10;
    private static final String AFTER = "after";
    private static final String BEFORE = "before";

    /** @throws AnepException EE-781 that names the key, or says what is wrong with the series */
    public static SeriesLine parse(String text) {
        if (text.length() > LONGEST) {
            throw new AnepException(ErrorCode.BAD_SAMPLE, "the line has " + text.length() + " characters, more than " + LONGEST);
        }
        Keys keys = Keys.parse(text, ErrorCode.BAD_SAMPLE, "the line");
        String leg = keys.text("leg");
        if (!leg.equals(AFTER) && !leg.equals(BEFORE)) {
            throw keys.bad("leg", "it must be before or after");
        }
        SeriesLine line = new SeriesLine(keys.name("theodolite"), keys.whole("boot", 0, 1L << 53), keys.whole("number", 1, 1L << 53), keys.whole("time", 0, 1L << 53),
                keys.whole("stream", 0, Long.MAX_VALUE), leg.equals(AFTER), keys.host("source"), keys.host("destination"), keys.octets("series"));
        line.series();
        return line;
    }

    /** @throws AnepException EE-781 if it is none */
    public Series series() {
        return Series.decode(code);
    }

    public String leg() {
        return isAfter ? AFTER : BEFORE;
    }

    @Override
    public String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("theodolite", theodolite);
        map.put("boot", boot);
        map.put("number", number);
        map.put("time", time);
        map.put("stream", stream);
        map.put("leg", leg());
        map.put("source", source);
        map.put("destination", destination);
        map.put("series", Base64.getEncoder().encodeToString(code));
        return Json.write(map);
    }
}
