package org.tamanoir.services.interest.filter;

import java.nio.charset.StandardCharsets;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * One topic, or all from a level on: {@code sensors/#} is {@code sensors} and all below it, and {@code #} all there are.
 *
 * @param base   the topic, or the level from which on; empty for all
 * @param prefix whether what is below counts
 */
public record TopicPattern(String base, boolean prefix) {
    /** All topics. */
    public static final TopicPattern ALL = new TopicPattern("", true);
    /** Octets in UTF-8. */
    static final int LONGEST = 255;

    /** @throws AnepException EE-109 if it is none */
    public static TopicPattern of(String text) {
        if (text.equals("#")) {
            return ALL;
        }
        boolean below = text.endsWith("/#");
        String base = below ? text.substring(0, text.length() - 2) : text;
        checkTopic(base);
        return new TopicPattern(base, below);
    }

    /** @throws AnepException EE-109 if it is no topic that an event can have */
    public static void checkTopic(String topic) {
        boolean wrong = topic.chars().anyMatch(c -> c < ' ' || c == '#' || c == '+' || c == 0x7F || c == 0xFFFD);
        if (wrong || topic.isEmpty() || topic.getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            throw new AnepException(ErrorCode.BAD_CONTENT,
                    "'" + topic + "' is no topic: 1 to " + LONGEST + " octets of UTF-8, no control characters, no '+', and '#' only as the last level of a filter");
        }
    }

    /** Whether all that the other matches is matched. */
    public boolean covers(TopicPattern other) {
        return prefix ? isUnder(other.base) : !other.prefix && base.equals(other.base);
    }

    /** Whether an event of this topic is meant. */
    public boolean matches(String topic) {
        return prefix ? isUnder(topic) : base.equals(topic);
    }

    private boolean isUnder(String topic) {
        return base.isEmpty() || topic.startsWith(base) && (topic.length() == base.length() || topic.charAt(base.length()) == '/');
    }

    /** The next coarser pattern that covers this one; itself if this one means all. */
    public TopicPattern parent() {
        int slash = base.lastIndexOf('/');
        return slash < 0 ? ALL : new TopicPattern(base.substring(0, slash), true);
    }

    @Override
    public String toString() {
        return !prefix ? base : base.isEmpty() ? "#" : base + "/#";
    }
}
