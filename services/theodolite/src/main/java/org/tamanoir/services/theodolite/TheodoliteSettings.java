package org.tamanoir.services.theodolite;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.topology.Place;
import org.tamanoir.service.Configuration;

/**
 * The options of the service, but for {@code observatory}, which the node reads.
 *
 * @param name     of this theodolite in the plan
 * @param place    where it is; null if it does not say
 * @param samples  that wait for the observatory, at most
 * @param patience after which a probe is lost
 */
record TheodoliteSettings(String name, Place place, int samples, Duration patience) {
    private static final Duration LEAST_PATIENCE = Duration.ofMillis(10);
    private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);
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
        return new TheodoliteSettings(name, place(options.text("place", null)), options.integer("samples", 100_000, 1000, 1_000_000), patience);
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
