package org.tamanoir.services.transcode;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * One size of a ladder: {@code 360p@600k}. {@link #PASS} leaves the stream as it is.
 *
 * @param height   lines of a picture, even; the width follows
 * @param kilobits a second, of the pictures
 */
record Rung(int height, int kilobits) {
    static final Rung PASS = new Rung(0, 0);
    private static final Pattern TEXT = Pattern.compile("(\\d{2,4})p(?:@(\\d{1,5})([kM]))?");
    private static final int LEAST_HEIGHT = 64;
    private static final int LEAST_KILOBITS = 50;
    private static final int MOST_KILOBITS = 50_000;
    private static final int KILO = 1000;
    /** Lines times lines for a kilobit: 360 lines have 600 kbit/s, 720 have 2,400. */
    private static final int LINES_A_KILOBIT = 216;
    /** One each second, wherever the times of the pictures begin. */
    private static final String KEY_FRAMES = "expr:if(isnan(prev_forced_t),1,gte(t,prev_forced_t+1))";
    /** Containers that ffmpeg may take a file for: none that names other files or servers. */
    private static final String FORMATS = "mpegts,mpeg,mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,ogg,h264,hevc,mpegvideo,yuv4mpegpipe,nut";

    /**
     * Reads what an operator or a stream asks for.
     *
     * @param code of what is wrong
     */
    static Rung parse(String text, int mostHeight, ErrorCode code) {
        if (text.equals("pass")) {
            return PASS;
        }
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new AnepException(code, "'" + text + "' is no size such as 360p or 360p@600k, and not 'pass'");
        }
        int height = Integer.parseInt(matcher.group(1));
        if (height < LEAST_HEIGHT || height > mostHeight || height % 2 != 0) {
            throw new AnepException(code, "a size of " + height + " lines; it is an even number from " + LEAST_HEIGHT + " to " + mostHeight);
        }
        int kilobits = matcher.group(2) == null ? Math.max(LEAST_KILOBITS, height * height / LINES_A_KILOBIT)
                : Integer.parseInt(matcher.group(2)) * (matcher.group(3).equals("M") ? KILO : 1);
        if (kilobits < LEAST_KILOBITS || kilobits > MOST_KILOBITS) {
            throw new AnepException(code, "a rate of " + kilobits + " kbit/s; it is from " + LEAST_KILOBITS + "k to " + MOST_KILOBITS / KILO + "M");
        }
        return new Rung(height, kilobits);
    }

    boolean passes() {
        return equals(PASS);
    }

    /** What ffmpeg is told. @param live whether the pictures come as they are made, as a transport stream */
    List<String> arguments(boolean live, Codec codec, Audio audio) {
        List<String> all = new ArrayList<>(List.of("-hide_banner", "-nostdin", "-nostats", "-loglevel", "error", "-protocol_whitelist", "pipe"));
        // What comes next is about the input. One thread: frame threads would keep pictures back. The times stay, so that they go on when another encoder follows.
        all.addAll(live ? List.of("-copyts", "-threads", "1", "-flags", "low_delay", "-probesize", "500000", "-analyzeduration", "500000", "-f", "mpegts")
                : List.of("-format_whitelist", FORMATS));
        all.addAll(List.of("-i", "pipe:0", "-map", "0:v:0"));
        all.addAll(audio.arguments());
        all.addAll(List.of("-sn", "-dn", "-vf", "scale=-2:" + height));
        all.addAll(codec.arguments());
        all.addAll(List.of("-b:v", kilobits + "k", "-maxrate", kilobits + "k", "-bufsize", kilobits + "k", "-force_key_frames", KEY_FRAMES,
                "-f", "mpegts", "-muxdelay", "0", "-muxpreload", "0", "-flush_packets", "1", "pipe:1"));
        return all;
    }

    /** Encoders that are used, each so that it keeps no picture back. */
    enum Codec {
        LIBX264("-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-pix_fmt", "yuv420p"),
        MPEG2VIDEO("-c:v", "mpeg2video", "-bf", "0", "-pix_fmt", "yuv420p");

        private final List<String> arguments;

        Codec(String... arguments) {
            this.arguments = List.of(arguments);
        }

        List<String> arguments() {
            return arguments;
        }
    }

    /** What happens to the sound. */
    enum Audio {
        COPY("-map", "0:a:0?", "-c:a", "copy"),
        AAC("-map", "0:a:0?", "-c:a", "aac", "-b:a", "96k"),
        NONE("-an");

        private final List<String> arguments;

        Audio(String... arguments) {
            this.arguments = List.of(arguments);
        }

        List<String> arguments() {
            return arguments;
        }
    }

    @Override
    public String toString() {
        return passes() ? "pass" : height + "p@" + kilobits + "k";
    }
}
