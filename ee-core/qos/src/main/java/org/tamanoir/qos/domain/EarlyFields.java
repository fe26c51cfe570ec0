package org.tamanoir.qos.domain;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.qos.domain.Domain.Band;
import org.tamanoir.qos.domain.Domain.Early;

/** Reads {@code red} of a class: {@code {bands: [50-90%, 30-60%, 10-30%], percent: 10, ecn: true}}, of which nothing is needed. */
final class EarlyFields {
    private static final Set<String> FIELDS = Set.of("bands", "percent", "ecn");
    private static final Pattern BAND = Pattern.compile("(\\d{1,3}) ?- ?(\\d{1,3}) ?%");
    private static final List<String> ONE = List.of("30-90%");
    /** What is dropped first has its band below that of what is dropped last, so that it has gone before the other suffers. */
    private static final List<String> THREE = List.of("50-90%", "30-60%", "10-30%");
    private static final int PERCENT = 10;
    /** tc takes no band that begins below a few packets. */
    private static final int LEAST_FRAMES = 2;

    private EarlyFields() {
    }

    /**
     * @param octets     of the queue
     * @param codePoints of the class: if one of them is of assured forwarding it has three drop precedences
     * @throws org.tamanoir.anep.AnepException (EE-501) if it makes no sense
     */
    static Early read(JsonNode node, String where, long octets, List<Integer> codePoints) {
        if (!node.isNull()) {
            DomainFile.only(node, FIELDS, where + ".");
        }
        boolean assured = codePoints.stream().anyMatch(EarlyFields::hasPrecedence);
        List<String> texts = new ArrayList<>();
        node.path("bands").forEach(each -> texts.add(each.asText()));
        if (!node.has("bands")) {
            texts.addAll(assured ? THREE : ONE);
        } else if (texts.size() != 1 && !(texts.size() == 3 && assured)) {
            throw DomainFile.bad(where + ".bands", "takes one band as 30-90%, or where the class has code points of assured forwarding three, that which is dropped last first");
        }
        List<Band> bands = texts.stream().map(text -> band(text, where + ".bands", octets)).toList();
        for (int i = 1; i < bands.size(); i++) {
            if (bands.get(i).least() > bands.get(i - 1).least() || bands.get(i).most() > bands.get(i - 1).most()) {
                throw DomainFile.bad(where + ".bands", "keeps longer what is to be dropped earlier: each band lies no higher than the one before it");
            }
        }
        return new Early(bands, percent(node.path("percent"), where + ".percent"), marks(node.path("ecn"), where + ".ecn"));
    }

    /** Whether a code point is AFx1, AFx2 or AFx3 (RFC 2597). */
    private static boolean hasPrecedence(int codePoint) {
        int of = codePoint >> 3;
        return of >= 1 && of <= 4 && (codePoint & 1) == 0 && (codePoint & 6) != 0;
    }

    private static Band band(String text, String where, long octets) {
        Matcher form = BAND.matcher(text);
        if (!form.matches()) {
            throw DomainFile.bad(where, "holds '" + text + "', which is no part of the queue as 30-90%");
        }
        int least = Integer.parseInt(form.group(1));
        int most = Integer.parseInt(form.group(2));
        if (least < 1 || most <= least || most > 100) {
            throw DomainFile.bad(where, "holds '" + text + "': from 1 % to at most 100 %, and upwards");
        }
        Band band = new Band(octets * least / 100, octets * most / 100);
        if (band.least() < LEAST_FRAMES * Queues.FRAME) {
            throw DomainFile.bad(where, "begins at " + band.least() + " octets, which is less than " + LEAST_FRAMES + " frames: the queue is too short for it");
        }
        return band;
    }

    private static int percent(JsonNode node, String where) {
        if (!node.isMissingNode() && (!node.isInt() || node.asInt() < 1 || node.asInt() > 100)) {
            throw DomainFile.bad(where, "takes whole numbers from 1 to 100");
        }
        return node.asInt(PERCENT);
    }

    private static boolean marks(JsonNode node, String where) {
        if (!node.isMissingNode() && !node.isBoolean()) {
            throw DomainFile.bad(where, "takes true or false");
        }
        return node.asBoolean(true);
    }
}
