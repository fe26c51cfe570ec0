package org.tamanoir.paths.wire;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The answer to {@code POST /v1/samples}. What it acknowledges is on the disk, or will never be taken; a theodolite may forget both.
 *
 * @param acknowledged for each theodolite in the request up to which of its numbers
 * @param kept         new lines
 * @param known        lines that had come before
 * @param refused      lines that are wrong; the first 100
 */
public record SampleAnswer(List<Acknowledged> acknowledged, int kept, int known, List<Refused> refused) {
    /** Everything of this theodolite and boot in the request, up to and with this number. */
    public record Acknowledged(String theodolite, long boot, long number) {
    }

    /**
     * A line that is not kept.
     *
     * @param line   of the request, from 1
     * @param code   {@code EE-781}
     */
    public record Refused(int line, String code, String message) {
    }

    public SampleAnswer {
        acknowledged = List.copyOf(acknowledged);
        refused = List.copyOf(refused);
    }

    /** @throws AnepException EE-408 that names the key */
    public static SampleAnswer parse(String json) {
        Keys keys = Keys.parse(json, ErrorCode.BAD_REQUEST, "the answer to samples");
        return new SampleAnswer(
                keys.sections("acknowledged").stream().map(each -> new Acknowledged(each.text("theodolite"), each.whole("boot", 0, Long.MAX_VALUE), each.whole("number", 0, Long.MAX_VALUE))).toList(),
                keys.whole("kept", 0), keys.whole("known", 0),
                keys.sections("refused").stream().map(each -> new Refused(each.whole("line", 0), each.text("code"), each.text("message"))).toList());
    }

    public String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("acknowledged", acknowledged.stream().map(each -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("theodolite", each.theodolite());
            one.put("boot", each.boot());
            one.put("number", each.number());
            return one;
        }).toList());
        map.put("kept", kept);
        map.put("known", known);
        map.put("refused", refused.stream().map(each -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("line", each.line());
            one.put("code", each.code());
            one.put("message", each.message());
            return one;
        }).toList());
        return Json.write(map);
    }
}
