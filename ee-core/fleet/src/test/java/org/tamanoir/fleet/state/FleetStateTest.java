package org.tamanoir.fleet.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.fleet.Json;
import org.tamanoir.fleet.tree.Canonical;

/** What operators write, what follows for each node, and what is refused by name. */
class FleetStateTest {
    private static final String NODES = "nodes: {a: {labels: [lyon, edge]}, b: {labels: [edge, lyon]}, c: {}}";

    private static FleetState read(String fleet, String rest) {
        return FleetState.read(Json.of("{fleet: {" + fleet + "}" + (rest.isEmpty() ? "" : ", ") + rest + "}"));
    }

    @Test
    void aNodeGetsDefaultsBelowItsGroupsInTheirOrderBelowItsOwn() {
        FleetState state = read(NODES + ", defaults: {drain: '1s', limits: {hops: 5, streams: 10}, peers: ['10.0.0.0/8']}",
                "groups: {lyon: {limits: {streams: 20}, drain: '2s'}, edge: {limits: {streams: 30}, peers: ['10.1.0.0/16']}}, nodes: {a: {drain: null, limits: {hops: 7}}, c: null}");
        Map<String, NodePart> parts = NodePart.all(state);
        assertThat(parts.get("a").values()).isEqualTo(Json.of("{limits: {hops: 7, streams: 30}, peers: ['10.1.0.0/16']}"));
        assertThat(parts.get("b").values()).isEqualTo(Json.of("{drain: '2s', limits: {hops: 5, streams: 20}, peers: ['10.1.0.0/16']}"));
        assertThat(parts.get("c").values()).isEqualTo(Json.of("{drain: '1s', limits: {hops: 5, streams: 10}, peers: ['10.0.0.0/8']}"));
        assertThat(parts.get("a").sha256()).isEqualTo(Canonical.sha256(Json.of("{peers: ['10.1.0.0/16'], limits: {streams: 30, hops: 7}}")));
    }

    @Test
    void channelsAndVersionsBecomePinsBelowThoseThatAreWritten() {
        FleetState state = read("channels: {stable: {forward: '1.2', compression: '1.10'}, next: {forward: '2.0.0'}}, nodes: {a: {}, b: {}}, defaults: {channel: stable}",
                "nodes: {b: {channel: next, versions: {monitoring: '0.1.0'}, pins: {'10.0.0.0/8': {forward: '1.0.0'}, '0.0.0.0/0': {monitoring: '0.2.0'}}}}");
        Map<String, NodePart> parts = NodePart.all(state);
        assertThat(parts.get("a").values()).isEqualTo(Json.of("{pins: {'0.0.0.0/0': {forward: '1.2', compression: '1.10'}, '::/0': {forward: '1.2', compression: '1.10'}}}"));
        assertThat(parts.get("b").values()).isEqualTo(Json.of("{pins: {'0.0.0.0/0': {forward: '2.0.0', monitoring: '0.2.0'}, '::/0': {forward: '2.0.0', monitoring: '0.1.0'}, "
                + "'10.0.0.0/8': {forward: '1.0.0'}}}"));
    }

    @Test
    void aNodeIsInTheFirstRingThatHasIt() {
        FleetState state = read(NODES + ", rings: [{name: canary, nodes: [b]}, {name: site, labels: [lyon]}, {name: rest}]", "");
        assertThat(state.members()).containsExactly(List.of("b"), List.of("a"), List.of("c"));
        assertThat(read(NODES, "").members()).containsExactly(List.of("a", "b", "c"));
    }

    @Test
    void whatIsNotWrittenHasItsDefault() {
        FleetState state = read("", "");
        assertThat(state.rules()).isEqualTo(RolloutRules.PRESET);
        assertThat(state.times()).isEqualTo(FleetTimes.PRESET);
        FleetState written = read("rollout: {soak: 10s, share: 0.9, max-unhealthy: 2, on-stop: rollback, patience: 1m, silent: 30s, grace: 0s, "
                + "unhealthy: {degraded: false, failed-share: 0.5, least-streams: 3}}, times: {poll: 500ms, report: 2s}", "");
        assertThat(written.rules()).isEqualTo(new RolloutRules(Duration.ofSeconds(10), 0.9, 2, Duration.ZERO, Duration.ofMinutes(1), Duration.ofSeconds(30), true, false, 0.5, 3));
        assertThat(written.times()).isEqualTo(new FleetTimes(Duration.ofMillis(500), Duration.ofSeconds(2)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "nods: {} | fleet.yaml: nods: there is no such key", "nodes: {'a b': {}} | the node 'a b'", "nodes: {a: {label: x}} | fleet.yaml: nodes.a.label: there is no such key",
        "nodes: {a: {labels: [x, x]}} | fleet.yaml: nodes.a.labels", "nodes: {a: {token-sha256: abc}} | fleet.yaml: nodes.a.token-sha256", "nodes: [a] | fleet.yaml: nodes: it must be a section",
        "rings: [{name: x, nodes: [q]}] | there is no node 'q'", "rings: [{name: x, labels: [q]}] | no node has the label 'q'", "rings: [{nodes: []}] | fleet.yaml: rings[0].name: it is missing",
        "rings: [{name: x}, {name: x}] | another ring is called 'x'", "nodes: {a: {}, b: {}}, rings: [{name: x, nodes: [b]}] | a is in none",
        "rollout: {soak: soon} | fleet.yaml: rollout.soak", "rollout: {share: 0} | rollout.share", "rollout: {on-stop: panic} | it must be hold or rollback", "rollout: {unhealthy: {x: 1}} | rollout.unhealthy.x",
        "times: {poll: 1ms} | fleet.yaml: times.poll", "revoked: ['key abc'] | fleet.yaml: revoked", "revoked: ['serial 7'] | fleet.yaml: revoked", "may-be-cut-off: [q] | there is no node 'q'",
        "defaults: {listen: '0.0.0.0:1'} | fleet.yaml: defaults.listen is not a fleet's to set", "nodes: {a: {}}, defaults: {channel: x} | there is no channel 'x'",
        "channels: {x: {forward: null}} | it has no version"})
    void whatMakesNoSenseIsRefusedByFileAndKey(String fleet, String named) {
        assertThatThrownBy(() -> NodePart.all(read(fleet, ""))).hasMessageStartingWith("EE-640").hasMessageContaining(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"listen: 1", "admin: 1", "admin-token-file: x", "admin-roles: {}", "data: x", "trust: x", "revoked: x", "development: true", "code: none", "kernel: {}",
        "light: {listen: x}", "links: {interface: eth0}", "links: {hears: eth0}", "probes: {}", "cluster: {}", "tls: {}", "threads: 1", "heavy-threads: 1", "io: nio", "fleet: {}",
        "access-policy: x", "policies: {transcode: {workers: {}}}", "nonsense: 1"})
    void whatIsANodesOwnIsRefusedWhereverItStands(String own) {
        String key = own.substring(0, own.indexOf(':'));
        assertThatThrownBy(() -> read("nodes: {a: {}}", "groups: {x: {" + own + "}}")).hasMessageStartingWith("EE-640 groups/x.yaml: " + key);
        assertThatThrownBy(() -> read("nodes: {a: {}}", "nodes: {a: {" + own + "}}")).hasMessageStartingWith("EE-640 nodes/a.yaml: " + key);
        assertThatThrownBy(() -> FleetKeys.check("", Json.of("{" + own + "}"), true)).hasMessageContaining(key);
    }

    @Test
    void aFileOfNoNodeIsRefused() {
        assertThatThrownBy(() -> read("nodes: {a: {}}", "nodes: {b: {}}")).hasMessageContaining("nodes/b.yaml is of no node");
        assertThatThrownBy(() -> read("", "group: {}")).hasMessageContaining("group: there is no such key");
        assertThatThrownBy(() -> FleetKeys.check("", Json.of("{channel: x}"), true)).as("pins by then").hasMessageContaining("channel");
        assertThatThrownBy(() -> FleetKeys.check("it: ", Json.of("[]"), true)).hasMessageContaining("it: it must be a section");
    }

    @Test
    void whatWouldCutANodeOffIsRefusedUnlessItIsMeant() {
        JsonNode had = Json.of("{routes: {'10.0.0.0/8': direct}, repositories: ['http://r:1']}".replace("direct", "'direct'"));
        assertThat(CutOff.reasons(had, had)).isEmpty();
        assertThat(CutOff.reasons(null, Json.of("{}"))).isEmpty();
        assertThat(CutOff.reasons(had, Json.of("{}"))).hasSize(2);
        assertThat(CutOff.reasons(null, Json.of("{routes: {}, repositories: []}"))).hasSize(2);
        assertThat(CutOff.reasons(had, ((ObjectNode) had.deepCopy()).set("rules", Json.of("[{name: 'x', actions: ['count', 'drop']}]")))).singleElement().asString().contains("rule x");
        assertThat(CutOff.reasons(had, ((ObjectNode) had.deepCopy()).set("rules", Json.of("[{name: 'x', match: {type: 1}, actions: ['drop']}, {actions: ['count']}]")))).isEmpty();
        Map<String, NodePart> before = Map.of("a", new NodePart("a", had));
        Map<String, NodePart> after = Map.of("a", new NodePart("a", Json.of("{}")));
        assertThatThrownBy(() -> CutOff.check(read("nodes: {a: {}}", ""), before, after)).hasMessageStartingWith("EE-642 a: it would have no route");
        CutOff.check(read("nodes: {a: {}}, may-be-cut-off: [a]", ""), before, after);
    }
}
