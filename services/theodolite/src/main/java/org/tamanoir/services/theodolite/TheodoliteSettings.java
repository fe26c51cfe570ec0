package org.tamanoir.services.theodolite;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.topology.Place;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.rule.Prefix;

/**
 * The options of the service, but for {@code observatory}, which the node reads.
 *
 * @param name     of this theodolite in the plan
 * @param place    where it is; null if it does not say
 * @param samples  that wait for the observatory, at most
 * @param patience after which a probe is lost
 * @param streams  whether the observatory is told of the node's streams
 * @param leastStream octets that a stream must have carried
 * @param series   streams at once of which all that the kernel says is recorded; 0 for none
 * @param bits4    of IPv4 addresses of streams that are told
 * @param bits6    of IPv6 addresses
 */
record TheodoliteSettings(String name, Place place, int samples, Duration patience, boolean streams, int leastStream, int series, int bits4, int bits6) {
    private static final Duration LEAST_PATIENCE = Duration.ofMillis(10);
    private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);
    private static final int BITS_4 = 32;
    private static final int BITS_6 = 128;
    private static final Pattern PREFIX = Pattern.compile("(\\d{1,2})\\s*,\\s*(\\d{1,3})");
    private static final Pattern PLACE = Pattern.compile("(-?\\d{1,3}(?:\\.\\d{1,9})?)\\s*,\\s*(-?\\d{1,3}(?:\\.\\d{1,9})?)");

    /** @param node its name, which is that of the theodolite if no other is set @throws AnepException EE-501 */
    static TheodoliteSettings of(Configuration options, String node) {
        String name = options.text("name", node);
        if (!Plan.NAME.matcher(name).matches()) {
            throw bad("name is '" + name + "'; it must be " + Plan.NAME_FORM);
        }
        Duration patience = options.duration("patience", Duration.ofSeconds(2));
        if (patience.compareTo(LEAST_PATIENCE) < 0 || patience.compareTo(MOST_PATIENCE) > 0) {
            throw bad("patience is " + patience.toMillis() + " ms; it must be from 10 ms to 10 s");
        }
        int[] bits = bits(options.text("address-prefix", BITS_4 + "," + BITS_6));
        return new TheodoliteSettings(name, place(options.text("place", null)), options.integer("samples", 100_000, 1000, 1_000_000), patience, options.flag("streams", true),
                options.integer("least-stream", 1_000_000, 0, Integer.MAX_VALUE), options.integer("series", 0, 0, 1000), bits[0], bits[1]);
    }

    private static int[] bits(String text) {
        Matcher match = PREFIX.matcher(text.strip());
        int bits4 = match.matches() ? Integer.parseInt(match.group(1)) : -1;
        int bits6 = match.matches() ? Integer.parseInt(match.group(2)) : -1;
        if (bits4 < 0 || bits4 > BITS_4 || bits6 < 0 || bits6 > BITS_6) {
            throw bad("address-prefix is '" + text + "'; it must be the bits of IPv4 and of IPv6 addresses such as 24, 48");
        }
        return new int[] {bits4, bits6};
    }

    /** An address as it is told: whole, or as the prefix that the operator lets others know. */
    String shown(InetAddress address) {
        int bits = address instanceof Inet4Address ? bits4 : bits6;
        String text = address.getHostAddress().replaceFirst("%.*", "");
        return bits == address.getAddress().length * Byte.SIZE ? text : Prefix.parse(text + "/" + bits).toString();
    }

    private static Place place(String text) {
        if (text == null) {
            return null;
        }
        Matcher match = PLACE.matcher(text.strip());
        if (!match.matches()) {
            throw bad("place is '" + text + "'; it must be LATITUDE, LONGITUDE such as 40.85, 14.27");
        }
        try {
            return new Place(Double.parseDouble(match.group(1)), Double.parseDouble(match.group(2)));
        } catch (AnepException e) {
            throw bad("place: " + e.text());
        }
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what);
    }
}
