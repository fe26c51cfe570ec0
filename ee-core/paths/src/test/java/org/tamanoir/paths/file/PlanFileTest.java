package org.tamanoir.paths.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.plan.Session;

class PlanFileTest {
    private static final String REST = """
            classes: {ef: 46}
            groups:
              all: {mesh: ["*"]}
              hub: {from: [gsc, ceinge], to: [virgo], back: true}
              both: {from: ["@hub"], to: [astro]}
            tests:
              ping: {tool: round-trip, probes: 10, interval: 100ms, octets: 64}
              flow: {tool: throughput, length: 10s, streams: 4}
            schedules:
              often: {repeat: 1m}
              rarely: {repeat: PT4H, slip: 1h, sliprand: true}
            tasks:
              ping: {group: all, test: ping, schedule: often}
              marked: {group: hub, test: ping, schedule: often, classes: [be, ef]}
              flow: {group: both, test: flow, schedule: rarely}
              asked: {group: hub, test: flow}
            """;
    private static final String FIVE = "theodolites: {gsc: gsc.example, astro: 192.0.2.2, virgo: '[2001:db8::3]:862', centro: centro.example, ceinge: ceinge.example}\n";

    private static List<Session> sessions(Plan plan, String task) {
        return plan.sessions().stream().filter(session -> session.task().equals(task)).toList();
    }

    /** Case 1, the counting of it: a sixth theodolite is one more line, and no group names it. */
    @Test
    void fiveInAMeshHaveTwentySessionsAndASixthMakesThemThirty() {
        Plan five = PlanFile.parse(FIVE + REST);
        assertThat(sessions(five, "ping")).hasSize(20);
        Plan six = PlanFile.parse(FIVE.replace("}\n", ", pisa: pisa.example}\n") + REST);
        assertThat(sessions(six, "ping")).hasSize(30).containsAll(sessions(five, "ping"));
        assertThat(six.sessionsOf("pisa").stream().map(Session::id)).containsExactly("ping/be/pisa/gsc", "ping/be/pisa/astro", "ping/be/pisa/virgo", "ping/be/pisa/centro", "ping/be/pisa/ceinge");
        assertThat(six.sessions().stream().map(Session::id)).doesNotHaveDuplicates();
    }

    @Test
    void aSessionHasAllThatATheodoliteNeeds() {
        Plan plan = PlanFile.parse("version: 7\n" + FIVE + REST);
        assertThat(plan.version()).isEqualTo(7);
        assertThat(plan.withVersion(8).sessions()).isEqualTo(plan.sessions());
        assertThatThrownBy(() -> plan.withVersion(0)).hasMessage("EE-780 version: 0 is not 1 or more");
        assertThat(plan.theodolites().keySet().stream().map(plan::host)).containsExactly("gsc.example", "192.0.2.2", "2001:db8::3", "centro.example", "ceinge.example");
        assertThat(sessions(plan, "marked").get(1)).isEqualTo(new Session("marked", "virgo", "gsc", "gsc.example", "be", 0,
                Measurement.ofProbes(Measurement.Kind.ROUND_TRIP, 10, Duration.ofMillis(100), 64), new Schedule(Duration.ofMinutes(1), Duration.ZERO, false)));
        assertThat(sessions(plan, "marked")).hasSize(8).extracting(Session::codePoint).containsOnly(0, 46);
        assertThat(sessions(plan, "flow")).extracting(Session::id).containsExactly("flow/be/gsc/astro", "flow/be/ceinge/astro", "flow/be/virgo/astro");
        assertThat(sessions(plan, "flow").get(0).schedule()).isEqualTo(new Schedule(Duration.ofHours(4), Duration.ofHours(1), true));
        assertThat(sessions(plan, "asked")).noneMatch(Session::isPeriodic);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "round-trip             | tracepath                | tests.ping.tool: there is no tool 'tracepath'; there are round-trip, one-way, loss, jitter, throughput",
        "mesh: [\"*\"]          | mesh: [\"@all\"]         | groups.all: groups contain each other in a circle: all -> all",
        "[gsc, ceinge]          | [\"@both\"]              | groups.hub: groups contain each other in a circle: hub -> both -> hub",
        "mesh: [\"*\"]          | mesh: [rome]             | groups.all.mesh: there is no theodolite 'rome'",
        "mesh: [\"*\"]          | mesh: [\"@rome\"]        | groups.all.mesh: there is no group 'rome'; there are all, hub, both",
        "mesh: [\"*\"]          | list: [gsc]              | groups.all.list: there is no such key; there are back, from, mesh, to",
        "mesh: [\"*\"]          | from: [gsc]              | groups.all: a group has either mesh, or from and to",
        "slip: 1h               | slip: 5h                 | schedules.rarely: slip: PT5H is not from 0 to the time after which a session repeats, PT4H",
        "repeat: 1m             | repeat: 1s               | tasks.ping: a run takes 3 s, and the next is due after 1 s",
        "repeat: 1m             | repeat: soon             | schedules.often.repeat: 'soon' is no time such as 90s, 5m, 4h, 1d or PT4H",
        "probes: 10             | probes: 1000001          | tests.ping: probes: 1000001 is not from 1 to 100000",
        "probes: 10             | probes: ten              | tests.ping.probes: it must be a whole number",
        "streams: 4             | streams: 65              | tests.flow: streams: 65 is not from 1 to 64",
        "length: 10s            | length: 11m              | tests.flow: length: PT11M is not from 1 s to 10 min",
        "ef: 46                 | ef: 64                   | classes.ef: 64 is no code point from 0 to 63",
        "classes: [be, ef]      | classes: [af]            | tasks.marked: there is no class af; there are be, ef",
        "group: all             | group: none              | tasks.ping.group: there is no group 'none'; there are all, hub, both",
        "gsc: gsc.example       | <b>x</b>: x, gsc: gsc.example  | theodolites: '<b>x</b>' is no name: 1 to 63 of letters",
        "gsc: gsc.example       | gsc: <script>alert(1)</script> | theodolites.gsc: it is no host name or address",
        "gsc: gsc.example       | astro: gsc.example       | Duplicate field 'astro'",
        "asked:                 | flow:                    | Duplicate field 'flow'",
        "sliprand: true         | sliprand: 1              | schedules.rarely.sliprand: it must be true or false"})
    void whatIsWrongIsRefusedAndNamed(String right, String wrong, String error) {
        String text = (FIVE + REST).replaceFirst("\\Q" + right + "\\E", wrong.replace("\\", "\\\\"));
        assertThat(text).isNotEqualTo(FIVE + REST);
        assertThatThrownBy(() -> PlanFile.parse(text)).hasMessageStartingWith("EE-780 ").hasMessageContaining(error);
    }

    private static String theodolites(int count) {
        return "theodolites: {" + IntStream.range(0, count).mapToObj(i -> "t" + i + ": h" + i + ".example").collect(Collectors.joining(", ")) + "}\n";
    }

    /** Refused by counting, before any of them is made. */
    @Test
    void aMillionSessionsAreRefused() {
        assertThatThrownBy(() -> PlanFile.parse(theodolites(1001) + REST.replaceAll(" {2}(hub|both|marked|flow|asked): \\{(from|group).*\n", "")))
                .hasMessageContaining("EE-780 groups.all: a group of 1001 and 1001 theodolites has 1002001 pairs, and a plan at most 250000 sessions");
        String tasks = IntStream.range(0, 100).mapToObj(i -> "  p" + i + ": {group: all, test: ping, schedule: often}\n").collect(Collectors.joining());
        assertThatThrownBy(() -> PlanFile.parse(theodolites(400) + "groups: {all: {mesh: ['*']}}\ntests: {ping: {tool: loss}}\nschedules: {often: {repeat: 1m}}\ntasks:\n" + tasks))
                .hasMessageContaining("EE-780 the plan has 319200 sessions or more");
        assertThatThrownBy(() -> PlanFile.parse("#" + "x".repeat(5 << 20))).hasMessageContaining("EE-780 the plan has 5242881 characters, more than 3145728");
    }

    /** Wrong: time or depth that doubles with every group. */
    @Test
    void groupsWithinGroupsAreBounded() {
        String doubling = IntStream.range(1, 30).mapToObj(i -> "  g" + i + ": {mesh: ['@g" + (i - 1) + "', '@g" + (i - 1) + "']}\n").collect(Collectors.joining());
        String rest = "tests: {ping: {tool: loss}}\ntasks: {one: {group: %s, test: ping}}\n";
        Plan plan = PlanFile.parse(FIVE + "groups:\n  g0: {mesh: [gsc, astro]}\n" + doubling + rest.formatted("g29"));
        assertThat(plan.sessions()).hasSize(2);
        String deep = IntStream.range(1, 5000).mapToObj(i -> "  g" + i + ": {mesh: ['@g" + (i - 1) + "']}\n").collect(Collectors.joining());
        assertThatThrownBy(() -> PlanFile.parse(FIVE + "groups:\n  g0: {mesh: [gsc, astro]}\n" + deep + rest.formatted("g4999"))).hasMessageContaining("more than 32 deep");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"[1, 2]", "''", "'{a: b'", "'a: *b'", "'&a [*a]'", "'x: 1'"})
    void whatIsNoPlanIsRefused(String text) {
        assertThatThrownBy(() -> PlanFile.parse(text)).hasMessageStartingWith("EE-780 ");
    }

    @ParameterizedTest
    @CsvSource({"90s, 90000", "1.5h, 5400000", "100ms, 100", "2 d, 172800000", "PT4H, 14400000", "P1W, 604800000", "P1DT0.5S, 86400500", "PT1H30M, 5400000"})
    void timesAreReadAsPeopleAndPSchedulerWriteThem(String text, long millis) {
        assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({"P", "PT", "P1M", "P1Y", "-5s", "5", "1 hour", "PT-1S", "''", "1e9s", "99999999999s"})
    void whatIsNoTimeIsNone(String text) {
        assertThat(Durations.parse(text)).isNull();
    }

    @Test
    void aTopologyIsReadAndItsErrorsAreNamed() {
        String text = """
                domains:
                  naples: {place: [40.85, 14.27], bottlenecks: [campus]}
                  pisa: {}
                hosts: {se1.df.unipi.it: pisa}
                rules:
                  - {prefix: 192.0.2.0/24, domain: naples}
                  - {suffix: na.infn.it, domain: naples}
                  - {name: "grid*.ceinge.unina.it", domain: naples}
                """;
        var topology = TopologyFile.parse(text);
        assertThat(topology.bottlenecks("se1.df.unipi.it")).containsExactly("pisa");
        assertThat(topology.bottlenecks("grid1.ceinge.unina.it")).containsExactly("campus");
        assertThat(topology.domain("naples").place().latitude()).isEqualTo(40.85);
        assertThatThrownBy(() -> TopologyFile.parse(text.replace("/24", "/99"))).hasMessageContaining("EE-780 rules[0]: '192.0.2.0/99' needs a length");
        assertThatThrownBy(() -> TopologyFile.parse(text.replace("suffix:", "sufix:"))).hasMessageContaining("EE-780 rules[1].sufix: there is no such key");
        assertThatThrownBy(() -> TopologyFile.parse(text.replace("40.85", "140.85"))).hasMessageContaining("EE-780 domains.naples: place [140.85, 14.27] is not");
        assertThatThrownBy(() -> TopologyFile.parse(text.replace("[40.85, 14.27]", "[40.85]"))).hasMessageContaining("EE-780 domains.naples.place: it must be [latitude, longitude]");
        assertThatThrownBy(() -> TopologyFile.parse(text.replace("pisa: {}", "<b>: {}"))).hasMessageContaining("EE-780 domains.<b>: '<b>' is no name");
    }
}
