package org.tamanoir.node.manage.configuration;

import java.net.InetAddress;
import java.util.List;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.settings.BadSetting;

/**
 * One of {@code places:} of the configuration: where on a map hosts are. Places are said by operators and never guessed from addresses.
 *
 * @param latitude  degrees, -90 to 90
 * @param longitude degrees, -180 to 180
 * @param prefixes  of the hosts that are there
 */
public record Place(String name, Double latitude, Double longitude, List<Prefix> prefixes) {
    private static final int MOST_NAME = 64;

    public Place {
        if (name == null || name.isBlank() || name.length() > MOST_NAME) {
            throw new BadSetting("name", "a place needs a name of at most " + MOST_NAME + " characters");
        }
        check("latitude", latitude, 90);
        check("longitude", longitude, 180);
        prefixes = ConfigurationValues.all("prefixes", prefixes);
    }

    private static void check(String key, Double degrees, int most) {
        if (degrees == null || !(Math.abs(degrees) <= most)) {
            throw new BadSetting(key, "it is " + degrees + "; it must be degrees from -" + most + " to " + most);
        }
    }

    /** The place of a host by the longest prefix; null for none. */
    public static Place of(InetAddress host, List<Place> places) {
        Place found = null;
        int longest = -1;
        for (Place place : places) {
            for (Prefix prefix : place.prefixes) {
                if (prefix.length() > longest && prefix.contains(host)) {
                    found = place;
                    longest = prefix.length();
                }
            }
        }
        return found;
    }
}
