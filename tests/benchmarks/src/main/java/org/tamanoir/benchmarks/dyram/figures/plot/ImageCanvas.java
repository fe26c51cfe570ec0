package org.tamanoir.benchmarks.dyram.figures.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import javax.imageio.ImageIO;

/** Draws at twice the size, for displays with small pixels. Works without a display. */
final class ImageCanvas implements Canvas {
    private static final int SCALE = 2;
    private static final int FONT = 13;
    private static final float[] DASHES = {7, 5};
    private static final double RADIUS = 3.5;

    private final BufferedImage image;
    private final Graphics2D graphics;

    ImageCanvas(int width, int height) {
        image = new BufferedImage(width * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.scale(SCALE, SCALE);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width, height);
    }

    @Override
    public void line(Point from, Point to, String colour, double width) {
        graphics.setColor(Color.decode(colour));
        graphics.setStroke(new BasicStroke((float) width));
        graphics.draw(new Line2D.Double(from.x(), from.y(), to.x(), to.y()));
    }

    @Override
    public void path(List<Point> points, String colour, boolean dashed) {
        Path2D path = new Path2D.Double();
        for (Point point : points) {
            if (path.getCurrentPoint() == null) {
                path.moveTo(point.x(), point.y());
            } else {
                path.lineTo(point.x(), point.y());
            }
        }
        graphics.setColor(Color.decode(colour));
        graphics.setStroke(dashed ? new BasicStroke(2, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, DASHES, 0)
                : new BasicStroke(2, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
        graphics.draw(path);
    }

    @Override
    public void dot(Point at, String colour) {
        graphics.setColor(Color.decode(colour));
        graphics.fill(new Ellipse2D.Double(at.x() - RADIUS, at.y() - RADIUS, 2 * RADIUS, 2 * RADIUS));
    }

    @Override
    public void text(Point at, Anchor anchor, String text, boolean bold) {
        graphics.setColor(Color.BLACK);
        graphics.setFont(new Font(Font.SANS_SERIF, bold ? Font.BOLD : Font.PLAIN, FONT));
        double width = graphics.getFontMetrics().getStringBounds(text, graphics).getWidth();
        double shift = switch (anchor) {
            case START -> 0;
            case MIDDLE -> width / 2;
            case END -> width;
        };
        graphics.drawString(text, (float) (at.x() - shift), (float) at.y());
    }

    @Override
    public void upward(Point at, String text) {
        AffineTransform before = graphics.getTransform();
        graphics.translate(at.x(), at.y());
        graphics.rotate(-Math.PI / 2);
        text(new Point(0, 0), Anchor.MIDDLE, text, false);
        graphics.setTransform(before);
    }

    byte[] png() {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        try {
            if (!ImageIO.write(image, "png", png)) {
                throw new IllegalStateException("PNG is part of every Java");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail", e);
        }
        return png.toByteArray();
    }
}
