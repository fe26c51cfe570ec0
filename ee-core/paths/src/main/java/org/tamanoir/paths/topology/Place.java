package org.tamanoir.paths.topology;

import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * A place on the Earth (WGS 84).
 *
 * @param latitude  degrees north, -90 to 90
 * @param longitude degrees east, -180 to 180
 */
public record Place(double latitude, double longitude) {
    private static final double EARTH_KM = 6371.0;
    /** Light in vacuum, km in a millisecond. */
    private static final double LIGHT = 299.792458;

    /** @throws AnepException EE-780 if it is no place */
    public Place {
        if (!(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180)) {
            throw new AnepException(ErrorCode.BAD_PLAN, "place [" + latitude + ", " + longitude + "] is not a latitude from -90 to 90 and a longitude from -180 to 180");
        }
    }

    /** Along the surface, kilometres (haversine formula). */
    public double kilometres(Place other) {
        double north = Math.toRadians(other.latitude - latitude) / 2;
        double east = Math.toRadians(other.longitude - longitude) / 2;
        double square = Math.pow(Math.sin(north), 2) + Math.cos(Math.toRadians(latitude)) * Math.cos(Math.toRadians(other.latitude)) * Math.pow(Math.sin(east), 2);
        return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(square)));
    }

    /** No round trip is shorter, milliseconds: who says so is elsewhere, or lies. */
    public double leastRoundTripMs(Place other) {
        return 2 * kilometres(other) / LIGHT;
    }
}
