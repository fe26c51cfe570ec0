package org.tamanoir.paths.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.plan.Session;

/** Templates with the members that perfSONAR's schema has, psconfig-schema.json. */
class PsConfigTest {
    private static final String TEMPLATE = """
            {
              "archives": {"central": {"archiver": "http", "data": {"_url": "https://archive.example/{% scheduled_by_address %}"}}},
              "addresses": {
                "a.example": {"address": "a.example", "host": "a", "labels": {"ipv6": {"address": "2001:db8::a"}}, "_meta": {"display-name": "<b>A</b>"}},
                "a2.example": {"address": "a2.example", "host": "a"},
                "b.example": {"address": "192.0.2.2"},
                "c.example": {"address": "c.example", "no-agent": true},
                "d.example": {"address": "d.example", "disabled": true}
              },
              "hosts": {"a": {"tags": ["naples"]}},
              "groups": {
                "mesh": {"type": "mesh", "addresses": [{"name": "a.example"}, {"name": "a2.example"}, {"name": "b.example"}, {"name": "c.example"}, {"name": "d.example"}, {"name": "gone.example"}],
                         "excludes": [{"local-address": {"name": "b.example"}, "target-addresses": [{"name": "a2.example"}]}]},
                "star": {"type": "disjoint", "a-addresses": [{"name": "a.example"}], "b-addresses": [{"name": "b.example"}, {"name": "c.example"}], "unidirectional": true},
                "v6": {"type": "disjoint", "default-address-label": "ipv6", "a-addresses": [{"name": "a.example"}, {"name": "b.example"}], "b-addresses": [{"name": "b.example"}]}
              },
              "tests": {
                "rtt": {"type": "rtt", "spec": {"source": "{% address[0] %}", "dest": "{% address[1] %}", "count": 10, "interval": "PT1S", "length": 1000, "ip-version": 4}},
                "bg": {"type": "latencybg", "spec": {"source": "{% address[0] %}", "dest": "{% address[1] %}", "packet-interval": 0.1, "packet-count": 600}},
                "flow": {"type": "throughput", "spec": {"source": "{% address[0] %}", "dest": "{% address[1] %}", "duration": "PT20S", "parallel": 2}},
                "back": {"type": "throughput", "spec": {"source": "{% address[0] %}", "dest": "{% address[1] %}", "duration": "PT20S", "reverse": true}},
                "udp": {"type": "throughput", "spec": {"source": "{% address[0] %}", "dest": "{% address[1] %}", "udp": true, "bandwidth": 50000000}},
                "trace": {"type": "trace", "spec": {"source": "{% address[0] %}", "dest": "{% address[1] %}"}}
              },
              "schedules": {
                "PT4H": {"repeat": "PT4H", "slip": "PT4H", "sliprand": true},
                "PT15M": {"repeat": "PT15M", "slip": "PT20M", "until": "P1D"}
              },
              "tasks": {
                "rtt": {"group": "mesh", "test": "rtt", "schedule": "PT15M", "archives": ["central"], "tools": ["ping"]},
                "bg": {"group": "star", "test": "bg"},
                "flow": {"group": "star", "test": "flow", "schedule": "PT4H", "tools": ["iperf3"]},
                "back": {"group": "star", "test": "back", "schedule": "PT4H"},
                "udp": {"group": "mesh", "test": "udp", "schedule": "PT4H"},
                "trace": {"group": "mesh", "test": "trace", "schedule": "PT15M"},
                "off": {"group": "v6", "test": "flow", "schedule": "PT4H", "disabled": true}
              }
            }
            """;

    private static List<String> ids(Plan plan, String task) {
        return plan.sessions().stream().filter(session -> session.task().equals(task)).map(Session::id).toList();
    }

    @Test
    void aTemplateBecomesAPlanAndWhatIsLeftOutIsSaid() {
        PsConfig.Imported imported = PsConfig.parse(TEMPLATE);
        Plan plan = imported.plan();
        assertThat(ids(plan, "rtt")).as("not on one host, not excluded, not by one without an agent").containsExactly("rtt/be/a.example/b.example", "rtt/be/a.example/c.example",
                "rtt/be/a2.example/b.example", "rtt/be/a2.example/c.example", "rtt/be/b.example/a.example", "rtt/be/b.example/c.example");
        assertThat(ids(plan, "flow")).containsExactly("flow/be/a.example/b.example", "flow/be/a.example/c.example");
        assertThat(ids(plan, "back")).as("data flow back").containsExactly("back/be/b.example/a.example", "back/be/c.example/a.example");
        assertThat(plan.theodolites()).containsEntry("b.example", "192.0.2.2").doesNotContainKey("d.example");
        assertThat(plan.tasks().get("flow").test()).isEqualTo(Measurement.ofThroughput(Duration.ofSeconds(20), 2));
        assertThat(plan.tasks().get("flow").schedule()).isEqualTo(new Schedule(Duration.ofHours(4), Duration.ofHours(4), true));
        assertThat(plan.tasks().get("bg").schedule().repeat()).as("one run after the other").isEqualTo(plan.tasks().get("bg").test().duration());
        assertThat(imported.notes()).containsExactly("schedule PT15M: until left out", "schedule PT15M: its slip is cut to its repeat",
                "address gone.example is in a group and nowhere else: it is left out",
                "task udp is left out: its throughput is that of UDP, and theodolites measure that of TCP", "task trace is left out: no theodolite measures 'trace'; round trip (rtt), latency, latencybg and throughput are");
    }

    @Test
    void aLabelChoosesTheAddress() {
        Plan plan = PsConfig.parse(TEMPLATE.replace("\"disabled\": true}\n  }", "\"disabled\": false}\n  }").replace(
                "\"b-addresses\": [{\"name\": \"b.example\"}]}", "\"b-addresses\": [{\"name\": \"a.example\"}, {\"name\": \"b.example\"}]}").replace("\"b.example\": {\"address\": \"192.0.2.2\"}",
                "\"b.example\": {\"address\": \"192.0.2.2\", \"labels\": {\"ipv6\": {\"address\": \"2001:db8::b\"}}}")).plan();
        assertThat(ids(plan, "off")).containsExactly("off/be/a.example:ipv6/b.example:ipv6", "off/be/b.example:ipv6/a.example:ipv6");
        assertThat(plan.theodolites()).containsEntry("b.example:ipv6", "2001:db8::b");
        assertThat(plan.host("b.example:ipv6")).isEqualTo("2001:db8::b");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"hosts\": {                                | \"includes\": [\"https://x.example\"], \"hosts\": { | includes: it is not followed here",
        "\"hosts\": {                                | \"address-classes\": {\"x\": {}}, \"hosts\": {      | address-classes: it is not followed here",
        "\"hosts\": {                                | \"hostz\": {}, \"hosts\": {                         | hostz: there is no such key",
        "\"type\": \"mesh\"                          | \"type\": \"list\"                                  | groups.mesh: a group of type 'list' has no pairs to measure between",
        "\"name\": \"a2.example\"}                   | \"class\": \"x\"}                                    | groups.mesh: groups.mesh.addresses[1].name: it is missing",
        "\"address\": \"192.0.2.2\"                  | \"address\": \"{% jq .x %}\"                        | addresses.b.example.address: it has a template variable",
        "\"count\": 10                               | \"count\": 1000000                                   | tests.rtt.spec: probes: 1000000 is not from 1 to 100000",
        "\"duration\": \"PT20S\", \"parallel\"       | \"duration\": \"PT1H\", \"parallel\"                | tests.flow.spec: length: PT1H is not from 1 s to 10 min",
        "\"test\": \"rtt\"                           | \"test\": \"rtd\"                                   | tasks.rtt.test: there is no test 'rtd'",
        "\"repeat\": \"PT4H\"                        | \"repeat\": \"P1M\"                                 | schedules.PT4H.repeat: 'P1M' is no time"})
    void whatCannotBeTakenAsItStandsIsRefused(String right, String wrong, String error) {
        String text = TEMPLATE.replace(right, wrong);
        assertThat(text).isNotEqualTo(TEMPLATE);
        assertThatThrownBy(() -> PsConfig.parse(text)).hasMessageStartingWith("EE-780 ").hasMessageContaining(error);
    }

    @Test
    void aTemplateWithoutAnythingForTheodolitesIsRefusedWithTheReasons() {
        String traces = TEMPLATE.replaceAll("\"(rtt|bg|flow|back)\": \\{\"group\".*\n", "");
        assertThatThrownBy(() -> PsConfig.parse(traces)).hasMessageContaining("EE-780 tasks: there is none that theodolites can do; task udp is left out");
    }
}
