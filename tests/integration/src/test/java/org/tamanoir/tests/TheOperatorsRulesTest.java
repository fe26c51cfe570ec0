package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.node.manage.configuration.NodeConfiguration;

/** {@code rules}, {@code kernel} and {@code light} of a configuration: what is wrong is named, and what is changed takes effect while the node runs. */
@Timeout(120)
class TheOperatorsRulesTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rules: [{match: {type: 1}, actions: [drop]}] | rules[0]: null: ",
        "rules: [{name: a, actions: []}] | rules[0]: a: ",
        "rules: [{name: a, actions: [jump]}] | 'jump' is no action",
        "rules: [{name: a, actions: [drop, count]}] | rules[0]: a: ",
        "rules: [{name: a, actions: [{dscp: 64}]}] | the code point 64 is not from 0 to 63",
        "rules: [{name: a, match: {type: 0x10000}, actions: [drop]}] | is not from 1 to 0xffff",
        "rules: [{name: a, match: {type: five}, actions: [drop]}] | 'five' is no Type ID",
        "rules: [{name: a, match: {session: 0}, actions: [drop]}] | 0 is no QoS session",
        "rules: [{name: a, match: {source: 10.0.0.0/33}, actions: [drop]}] | 10.0.0.0/33",
        "rules: [{name: a, match: {passing: true}, actions: [forward]}] | rules[0]: a: ",
        "rules: [{name: a, actions: [{police: {cir: 0, cbs: 1, ebs: 1}}]}] | cir is 0",
        "rules: [{name: a, actions: [{police: {cir: 9, cbs: 1}}]}] | police needs cir, cbs and ebs",
        "rules: [{name: a, actions: [{police: {cir: 9, cbs: 1, pir: 8, pbs: 1}}]}] | pir is 8, less than cir",
        "rules: [{name: a, actions: [{police: {cir: 9, cbs: 1, ebs: 1, red: explode}}]}] | 'explode' is no treatment",
        "rules: [{name: a, actions: [drop]}, {name: a, actions: [count]}] | it stands twice",
        "rules: [{name: a, actions: [{forward: nowhere}]}] | rules[0]: a: ",
        "kernel: {use: perhaps} | it is auto, off or required",
        "kernel: {rules: 0} | it must be from 1 to 65536",
        "light: {connections: [{name: a}]} | a needs to: HOST:PORT",
        "light: {connections: [{name: a, to: '127.0.0.1:1', dscp: 64}]} | it must be from 0 to 63"})
    void thatAreWrongAreNamed(String yaml, String said) throws Exception {
        Path file = Files.writeString(folder.resolve("node.yaml"), yaml);
        assertThatThrownBy(() -> NodeConfiguration.read(file)).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-501 ")
                .hasMessageContaining(said);
    }

    @Test
    @Tag("lab")
    void changeWhileTheNodeRuns() throws Exception {
        try (LightLab lab = new LightLab(); UdpPeer receiver = lab.peerAtReceiver()) {
            String interfaces = "kernel: {rules: 3, interfaces: [to-sender, nowhere]}\n";
            String light = "light: {listen: '0.0.0.0:3323', connections: [{name: stays, to: '10.0.2.2:7001'}]}\n";
            LabNode node = lab.node(interfaces + light + """
                    rules:
                    - {name: stays, match: {type: 0x5500}, actions: [count, forward]}
                    - {name: goes, match: {type: 0x5501}, actions: [count, drop]}
                    """).inKernel("to-sender");
            assertThat(node.kernel().path("interfaces").path("nowhere").asText()).startsWith("EE-604 there is no interface nowhere");
            assertThat(node.kernel().path("interfaces").path("to-sender").asText()).isEqualTo("tcx");
            assertThat(node.tell("status")).contains("EE-604");

            send(lab, receiver, 0x5500, true);
            send(lab, receiver, 0x5501, false);
            connect(lab, lab.receiver(), 7001);
            assertThat(node.rule("operator/stays").path("packets").asInt()).isEqualTo(1);
            await().atMost(Duration.ofSeconds(2)).until(() -> node.rule("operator/goes").path("dropped").asInt() == 1);

            String changed = interfaces + """
                    light: {listen: '0.0.0.0:3323', connections: [{name: new, source: 10.99.0.0/16, to: '10.0.2.2:7002'},
                      {name: stays, to: '10.0.2.2:7001'}]}
                    rules:
                    - {name: new, match: {type: 0x5502}, actions: [count, drop]}
                    - {name: stays, match: {type: 0x5500}, actions: [count, {dscp: 9}, forward]}
                    """;
            node.configure(lab.configuration(changed));
            await().atMost(LightLab.PATIENCE).until(() -> node.get("/rules").toString().contains("operator\",\"name\":\"new"));
            assertThat(node.get("/rules").path("rules")).hasSize(2);
            send(lab, receiver, 0x5500, true);
            send(lab, receiver, 0x5502, false);
            connect(lab, lab.receiver(), 7001);
            assertThat(node.rule("operator/stays").path("packets").asInt()).as("its counters go on").isEqualTo(2);
            assertThat(node.metric("tamanoir_light_connections_total{connection=\"stays\"}")).isEqualTo(2);
            assertThat(node.metric("tamanoir_light_connections_total{connection=\"new\"}")).isZero();

            node.configure(lab.configuration(changed + "- {name: third, actions: [count]}\n- {name: fourth, match: {type: 9}, actions: [drop]}\n"));
            await().atMost(LightLab.PATIENCE).untilAsserted(() -> assertThat(node.status().path("health").path("configurationRefused").asText())
                    .contains("EE-603 there is room for 3 rules (kernel: rules); 4 rules of the operator"));
            assertThat(node.get("/rules").path("rules")).as("the rules before stay").hasSize(2);
            send(lab, receiver, 0x5500, true);
            assertThat(node.rule("operator/stays").path("packets").asInt()).isEqualTo(3);
            node.end();

            Command.Result refused = LabNode.fail(lab.host(), lab.directory().resolve("full"), lab.configuration("kernel: {rules: 1}\nrules:\n"
                    + "- {name: one, actions: [count]}\n- {name: two, match: {type: 9}, actions: [drop]}\n"));
            assertThat(refused.exit()).isEqualTo(4);
            assertThat(refused.errors()).contains("EE-603");
        }
    }

    private static void send(LightLab lab, UdpPeer receiver, int type, boolean arrives) throws Exception {
        try (UdpPeer sender = lab.peerAtSender()) {
            sender.send(AnepPeer.opening(type, AnepPeer.to("10.0.2.2", receiver.port(), Delivery.ANEP).hops(4)), lab.address());
            if (arrives) {
                assertThat(receiver.receive()).isNotEmpty();
            } else {
                assertThat(receiver.isSilent(200)).isTrue();
            }
        }
    }

    private static void connect(LightLab lab, Host at, int port) throws Exception {
        try (var server = at.inside(() -> new java.net.ServerSocket(port, 5, lab.far().second().ipv4()));
                Socket socket = lab.sender().inside(() -> new Socket(lab.near().second().ipv4(), 3323)); Socket accepted = server.accept()) {
            socket.getOutputStream().write(7);
            assertThat(accepted.getInputStream().read()).isEqualTo(7);
            assertThat(((InetSocketAddress) accepted.getRemoteSocketAddress()).getAddress()).as("the node's own address")
                    .isEqualTo(lab.far().first().ipv4());
        }
    }
}
