package org.tamanoir.paths.hosttune;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Ports from one to another, both included. */
public record PortSpan(int first, int last) {
    public static final PortSpan ALL = new PortSpan(0, 65_535);

    /**
     * Reads {@code 2811} or {@code 50000-51000}.
     *
     * @throws AnepException EE-501 if it is neither
     */
    public static PortSpan parse(String text) {
        int hyphen = text.indexOf('-');
        try {
            int first = Integer.parseInt((hyphen < 0 ? text : text.substring(0, hyphen)).strip());
            int last = hyphen < 0 ? first : Integer.parseInt(text.substring(hyphen + 1).strip());
            if (first >= 1 && first <= last && last <= ALL.last) {
                return new PortSpan(first, last);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new AnepException(ErrorCode.BAD_CONFIGURATION, "'" + text + "' is no port from 1 to 65535, as 2811, nor two with a hyphen, as 50000-51000");
    }

    boolean contains(int port) {
        return first <= port && port <= last;
    }

    boolean covers(PortSpan other) {
        return first <= other.first && other.last <= last;
    }

    @Override
    public String toString() {
        return first == last ? Integer.toString(first) : first + "-" + last;
    }
}
