package org.tamanoir.observatory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tamanoir.paths.plan.Measurement.Kind;
import org.tamanoir.paths.wire.SampleLine;

/** Sites, plans and samples of tests. */
final class Grid {
    static final List<String> FIVE = List.of("astro", "centro", "gsc", "med", "virgo");
    static final String TOPOLOGY = """
            domains:
              astro: {place: [40.86, 14.25]}
              centro: {place: [40.84, 14.25]}
              gsc: {place: [40.84, 14.19]}
              med: {place: [40.87, 14.22]}
              virgo: {place: [40.84, 14.19]}
              pisa: {place: [43.63, 10.50]}
            rules:
              - {suffix: astro.example, domain: astro}
              - {suffix: centro.example, domain: centro}
              - {suffix: gsc.example, domain: gsc}
              - {suffix: med.example, domain: med}
              - {suffix: virgo.example, domain: virgo}
              - {suffix: pisa.example, domain: pisa}
            """;

    private Grid() {
    }

    /** A mesh of round trips, one every minute, among some of those that there are. */
    static String plan(List<String> theodolites, List<String> mesh, String more) {
        return "theodolites: {" + theodolites.stream().map(name -> name + ": se." + name + ".example").collect(Collectors.joining(", ")) + "}\n"
                + "groups:\n  all: {mesh: [" + String.join(", ", mesh) + "]}\n"
                + "tests:\n  ping: {tool: round-trip, probes: 10, interval: 100ms}\n  flow: {tool: throughput, length: 1s, streams: 2}\n"
                + "schedules:\n  often: {repeat: 1m}\n  now: {repeat: 4s, slip: 4s}\n"
                + "tasks:\n  ping: {group: all, test: ping, schedule: often}\n" + more;
    }

    static String registration(String name) {
        return "{\"node\":\"" + name + "\",\"anep\":\"0.0.0.0:4322\",\"reflector\":\"0.0.0.0:4862\",\"software\":\"test\"}";
    }

    /** {@code values} are names and numbers in turn. */
    static String line(String session, long number, Kind kind, long time, Object... values) {
        Map<String, Double> map = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i += 2) {
            map.put((String) values[i], ((Number) values[i + 1]).doubleValue());
        }
        return new SampleLine(session.split("/")[2], 1, number, session, kind, time, map).json();
    }

    static String lines(String... lines) {
        return Stream.of(lines).collect(Collectors.joining("\n", "", "\n"));
    }
}
