package org.tamanoir.qos.eds.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.eds.EdsParameters;
import org.tamanoir.qos.eds.Red;

/**
 * What an interface is to have.
 *
 * @param bitRate    of the bottleneck, bits a second: the queue has to form here; 0 if the interface itself is it
 * @param parameters of the queue
 * @param codePoints DSCP of each class, 0 to 63, each once
 */
public record EdsSettings(long bitRate, EdsParameters parameters, List<Integer> codePoints) {
    /** Ours, of the pool for local use (RFC 2474): no PHB has them. */
    public static final List<Integer> CODE_POINTS = List.of(3, 7, 11, 15, 19, 23);

    /** @throws AnepException EE-501 if the code points are not one for each class */
    public EdsSettings {
        codePoints = List.copyOf(codePoints);
        if (codePoints.size() != parameters.delay().size() || codePoints.stream().distinct().count() != codePoints.size()
                || !codePoints.stream().allMatch(each -> each >= 0 && each < 64)) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "each of the " + parameters.delay().size() + " classes has a code point of its own, 0 to 63");
        }
    }

    private static final double PROBABILITY = 0.1;
    private static final int PACKET = 1_065;

    /**
     * RED between two lengths of the average queue, for the rest as in the report: 0.1 at most, packets of 1,065 octets, and the burst that tc(8) advises.
     *
     * @param min octets, more than a packet
     * @throws AnepException EE-501 if there is no such RED
     */
    public static Red red(int min, int max, long bitRate) {
        return Red.of(min, max, PROBABILITY, bitRate, PACKET, burst(min, max));
    }

    private static int burst(int min, int max) {
        return (2 * min + max) / (3 * PACKET) + 2;
    }

    /** Lines for {@code tc -batch}. */
    public List<String> commands(String device) {
        List<String> lines = new ArrayList<>();
        String parent;
        if (bitRate > 0) {
            // A millisecond at once, one frame at least: timers come late, and what was not sent meanwhile would be lost.
            long burst = Math.max(2_000, bitRate / 8 / 1_000);
            lines.add("qdisc add dev " + device + " root handle " + EdsQueueSetup.HANDLE + " tbf rate " + bitRate + "bit burst " + burst + " limit "
                    + parameters.limit());
            parent = "parent " + EdsQueueSetup.HANDLE + "1 handle " + EdsQueueSetup.INNER;
        } else {
            parent = "root handle " + EdsQueueSetup.HANDLE;
        }
        lines.add("qdisc add dev " + device + " " + parent + " eds limit " + parameters.limit() + early() + " hist_depth " + parameters.history()
                + " nb " + codePoints.size() + " fact_delay " + words(parameters.delay()) + " fact_loss " + words(parameters.loss())
                + " dscp " + words(codePoints));
        return lines;
    }

    /** tc works the exponents out by itself, as {@link Red#of} does. */
    private String early() {
        Red red = parameters.red();
        return red == null ? "" : " min " + red.min() + " max " + red.max() + " probability " + PROBABILITY + " bandwidth " + bitRate / 1_000 + " avpkt " + PACKET
                + " burst " + burst(red.min(), red.max());
    }

    private static String words(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }
}
