package org.tamanoir.services.interest.filter;

import java.util.Arrays;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.prep.PreparedGeometry;
import org.locationtech.jts.geom.prep.PreparedGeometryFactory;
import org.locationtech.jts.geom.util.GeometryFixer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Part of the plane: a box, or a polygon without holes. Its edges belong to it. The plane is what the events say: longitude and latitude in degrees, or metres. It has no
 * seam, so a region across the antimeridian is two.
 */
public final class Region {
    /** Corners of a polygon. */
    static final int MOST_CORNERS = 256;
    private static final GeometryFactory PLANE = new GeometryFactory();

    private final double[] corners;
    private final Envelope envelope;
    private final PreparedGeometry polygon;

    private Region(double[] corners, Envelope envelope, PreparedGeometry polygon) {
        this.corners = corners;
        this.envelope = envelope;
        this.polygon = polygon;
    }

    /** A box. @throws AnepException EE-109 if it has none of it */
    public static Region box(double west, double south, double east, double north) {
        if (!(west <= east && south <= north) || !Double.isFinite(west + south + east + north)) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a region is [west, south, east, north], and west is no more than east");
        }
        return new Region(new double[] {west, south, east, north}, new Envelope(west, east, south, north), null);
    }

    /** A polygon. @param corners x and y of each in turn; the last is joined to the first @throws AnepException EE-109 if it has no area, or too many corners */
    public static Region polygon(double[] corners) {
        int count = corners.length / 2;
        if (count < 3 || count > MOST_CORNERS || corners.length % 2 != 0 || !Arrays.stream(corners).allMatch(Double::isFinite)) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a polygon has 3 to " + MOST_CORNERS + " corners [x, y]");
        }
        Coordinate[] ring = new Coordinate[count + 1];
        for (int i = 0; i <= count; i++) {
            ring[i] = new Coordinate(corners[i % count * 2], corners[i % count * 2 + 1]);
        }
        Geometry shape = GeometryFixer.fix(PLANE.createPolygon(ring));
        if (shape.isEmpty()) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "a polygon without an area");
        }
        return new Region(corners.clone(), shape.getEnvelopeInternal(), PreparedGeometryFactory.prepare(shape));
    }

    /** Four numbers of a box, or the corners of a polygon. */
    double[] corners() {
        return corners;
    }

    public boolean isBox() {
        return polygon == null;
    }

    /** The smallest box around it. Not to be changed. */
    public Envelope envelope() {
        return envelope;
    }

    /** The smallest box around both. */
    public Region boxWith(Region other) {
        Envelope both = new Envelope(envelope);
        both.expandToInclude(other.envelope);
        return box(both.getMinX(), both.getMinY(), both.getMaxX(), both.getMaxY());
    }

    public boolean contains(double x, double y) {
        return envelope.contains(x, y) && (polygon == null || polygon.covers(PLANE.createPoint(new Coordinate(x, y))));
    }

    /** Whether each point of the other is in this one. May say no where it is so. */
    public boolean covers(Region other) {
        return equals(other) || envelope.contains(other.envelope) && (polygon == null || polygon.covers(other.shape()));
    }

    private Geometry shape() {
        return polygon == null ? PLANE.toGeometry(envelope) : polygon.getGeometry();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Region region && isBox() == region.isBox() && Arrays.equals(corners, region.corners);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(corners);
    }
}
