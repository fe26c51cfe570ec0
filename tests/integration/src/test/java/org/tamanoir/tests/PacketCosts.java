package org.tamanoir.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a packet costs, counted: figures by name, and how they differ from those that are committed. */
final class PacketCosts {
    /** A figure may be more than the baseline by this part, and by a little of its unit, so that one of nearly nothing is not held to nothing. */
    static final double TOLERANCE = 0.1;
    static final double LITTLE = 0.005;
    /** Of octets. What is done by the clock is shared by fewer packets on a busy machine; the smallest object for each run of packets is 1.5 octets a packet. */
    static final double LITTLE_OCTETS = 0.3;

    private static final Path BASELINE = Path.of("src/test/resources/packet-costs.csv");

    private final Map<String, Double> figures;

    private PacketCosts(Map<String, Double> figures) {
        this.figures = figures;
    }

    PacketCosts() {
        this(new TreeMap<>());
    }

    static PacketCosts committed() throws IOException {
        PacketCosts costs = new PacketCosts();
        for (String line : Files.readAllLines(BASELINE)) {
            if (!line.startsWith("#")) {
                costs.add(line.substring(0, line.lastIndexOf(',')), Double.parseDouble(line.substring(line.lastIndexOf(',') + 1)));
            }
        }
        return costs;
    }

    void add(String name, double value) {
        figures.put(name, value);
    }

    void commit() throws IOException {
        List<String> lines = new ArrayList<>(List.of("# what, each a packet, of the event loop: see ThePacketsCostStaysTest"));
        figures.forEach((name, value) -> lines.add(String.format(Locale.ROOT, "%s,%.3f", name, value)));
        Files.write(BASELINE, lines);
    }

    /** What is more than a baseline allows, was not measured, or is not in it: a sentence each. */
    List<String> moreThan(PacketCosts baseline) {
        List<String> more = new ArrayList<>();
        baseline.figures.forEach((name, was) -> {
            Double is = figures.get(name);
            if (is == null) {
                more.add(name + " was not measured");
            } else if (is > was * (1 + TOLERANCE) + (name.endsWith("allocated") ? LITTLE_OCTETS : LITTLE)) {
                more.add(String.format(Locale.ROOT, "%s: %.3f a packet, was %.3f", name, is, was));
            }
        });
        figures.keySet().stream().filter(name -> !baseline.figures.containsKey(name)).forEach(name -> more.add(name + " has no baseline"));
        return more;
    }

    @Override
    public String toString() {
        return figures.toString();
    }
}
