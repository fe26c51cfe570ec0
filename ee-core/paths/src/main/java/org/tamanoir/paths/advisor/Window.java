package org.tamanoir.paths.advisor;

/** What a window carries: {@code TCP_window = RTT * Bandwidth} (DataGRID, section 4.2.2). */
public final class Window {
    private static final double MILLI = 1e-3;

    private Window() {
    }

    /** Octets that are under way on a full path. @param roundTripMs milliseconds @param mbits megabits a second */
    public static double octets(double roundTripMs, double mbits) {
        return roundTripMs * MILLI * mbits * 1e6 / 8;
    }

    /** Megabits a second that a window of so many octets lets through. */
    public static double mbits(double roundTripMs, double octets) {
        return octets * 8 / (roundTripMs * MILLI) / 1e6;
    }
}
