package org.tamanoir.paths.wire;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** One line that a theodolite sends: what a session found, or what a stream of its node did. */
public sealed interface Line permits SampleLine, StreamLine, SeriesLine {
    /** Characters of a line. */
    int LONGEST = 4096;

    /** That says so. */
    String theodolite();

    /** Milliseconds of the epoch at which it began to count. */
    long boot();

    /** Counts its lines since then, from 1. With {@link #boot} it tells whether a line came before. */
    long number();

    /** When it ended, milliseconds of the epoch. */
    long time();

    /** Without an end of line. */
    String json();

    /** One of {@code POST /v1/samples}. @throws AnepException EE-781 that names the key */
    static Line parse(String text) {
        if (text.length() > LONGEST) {
            throw new AnepException(ErrorCode.BAD_SAMPLE, "the line has " + text.length() + " characters, more than " + LONGEST);
        }
        Keys keys = Keys.parse(text, ErrorCode.BAD_SAMPLE, "the line");
        return keys.text("kind", "").equals(StreamLine.KIND) ? StreamLine.of(keys) : SampleLine.of(keys);
    }
}
