package org.tamanoir.services.transcode;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/** Which size a stream gets that asks for none: the first line that fits, by its destination or by the next hop of its way. */
final class Ladder {
    private static final int MOST_LINES = 256;
    private static final Pattern LINE = Pattern.compile("(to|via)\\s+(\\S+)\\s*=\\s*(\\S+)");

    private record Line(boolean via, Prefix prefix, Rung rung) {
    }

    private final List<Line> lines = new ArrayList<>();

    /**
     * Reads the option.
     *
     * @param text such as {@code to 10.0.9.0/24 = 360p@600k, via 192.0.2.1 = 480p}; empty for none
     * @throws AnepException EE-501
     */
    Ladder(String text, int mostHeight) {
        for (String each : text.isBlank() ? new String[0] : text.split(",")) {
            Matcher line = LINE.matcher(each.trim());
            if (!line.matches() || lines.size() == MOST_LINES) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "ladder: '" + each.trim() + "'; it is a list of at most " + MOST_LINES
                        + ": to PREFIX = SIZE, or via PREFIX = SIZE, …");
            }
            lines.add(new Line(line.group(1).equals("via"), prefix(line.group(2)), Rung.parse(line.group(3), mostHeight, ErrorCode.BAD_CONFIGURATION)));
        }
    }

    private static Prefix prefix(String text) {
        try {
            return Prefix.parse(text.indexOf('/') >= 0 ? text : text + (text.indexOf(':') >= 0 ? "/128" : "/32"));
        } catch (IllegalArgumentException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "ladder: '" + text + "' is no address and no prefix", e);
        }
    }

    Rung of(InetAddress destination, InetAddress next) {
        return lines.stream().filter(line -> line.prefix().contains(line.via() ? next : destination)).findFirst().map(Line::rung).orElse(Rung.PASS);
    }
}
