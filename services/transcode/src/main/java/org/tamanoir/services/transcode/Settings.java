package org.tamanoir.services.transcode;

import java.util.List;
import java.util.Locale;
import org.tamanoir.service.Configuration;
import org.tamanoir.services.transcode.Rung.Audio;
import org.tamanoir.services.transcode.Rung.Codec;

/**
 * The options of the service.
 *
 * @param mostHeight lines of a picture that a stream may ask for
 * @param channels   that there may be at once
 * @param viewers    of one channel
 */
record Settings(Ladder ladder, int mostHeight, Codec codec, Audio audio, OnFailure onFailure, int channels, int viewers) {
    private static final int HIGHEST = 2160;

    /** What happens when an encoder of a live stream fails. */
    enum OnFailure {
        /** Another is started at the next key frame after a pause. */
        RESTART,
        /** The stream goes on as it comes. */
        BYPASS,
        /** Nothing more of it goes on. */
        DROP
    }

    static Settings of(Configuration options) {
        int mostHeight = options.integer("most-height", 1080, 64, HIGHEST);
        return new Settings(new Ladder(options.text("ladder", ""), mostHeight), mostHeight,
                Codec.valueOf(upper(options.choice("codec", "libx264", List.of("libx264", "mpeg2video")))),
                Audio.valueOf(upper(options.choice("audio", "copy", List.of("copy", "aac", "none")))),
                OnFailure.valueOf(upper(options.choice("on-failure", "restart", List.of("restart", "bypass", "drop")))),
                options.integer("channels", 16, 1, 1024), options.integer("viewers", 64, 1, 4096));
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
