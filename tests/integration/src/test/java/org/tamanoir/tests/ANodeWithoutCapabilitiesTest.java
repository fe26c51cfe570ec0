package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.Delivery;
import org.tamanoir.lab.Command;

/** A node that the kernel allows nothing works in user space and says what to grant; granted at the next start, it is back in the kernel. */
@Tag("lab")
@Timeout(120)
class ANodeWithoutCapabilitiesTest {
    private static final String FORWARD = "rules: [{name: all, match: {type: 0x5500}, actions: [count, forward]}]\n";
    private static final String[] NOTHING = {"setpriv", "--inh-caps=-all", "--bounding-set=-all"};

    @Test
    void worksAndSaysWhatToGrantAndUsesItAtTheNextStart() throws Exception {
        try (LightLab lab = new LightLab()) {
            LabNode without = LabNode.start(lab.host(), lab.directory().resolve("node"), lab.configuration(FORWARD), NOTHING);
            carries(lab);
            assertThat(without.tell("status")).contains("CAP_BPF", "CAP_NET_ADMIN", "CAP_PERFMON");
            assertThat(without.tell("explain", "--type-id", "0x5500")).contains("runs on level event-loop").contains("not on kernel: ")
                    .contains("CAP_BPF");
            assertThat(without.kernel().path("used").asBoolean()).isFalse();
            assertThat(without.rule("operator/all").path("packets").asInt()).isEqualTo(3);
            without.end();

            LabNode with = lab.node(FORWARD).inKernel();
            carries(lab);
            assertThat(with.get("/explain/0x5500").path("runs").asText()).isEqualTo("kernel");
            assertThat(with.done("forwarded")).isPositive();
        }
    }

    private static void carries(LightLab lab) throws Exception {
        try (UdpPeer sender = lab.peerAtSender(); UdpPeer receiver = lab.peerAtReceiver()) {
            for (int i = 0; i < 3; i++) {
                sender.send(AnepPeer.opening(0x5500, AnepPeer.to("10.0.2.2", receiver.port(), Delivery.ANEP).hops(4)), lab.address());
                assertThat(receiver.receive()).isNotEmpty();
                Thread.sleep(50);
            }
        }
    }

    @Test
    void doesNotStartWhereTheKernelIsRequired() throws Exception {
        try (LightLab lab = new LightLab()) {
            Command.Result refused = LabNode.fail(lab.host(), lab.directory().resolve("node"), lab.configuration(FORWARD
                    + "kernel: {use: required}\n"), NOTHING);
            assertThat(refused.exit()).isEqualTo(1);
            assertThat(refused.errors()).contains("EE-601 the configuration requires the kernel path").contains("CAP_BPF");
            assertThat(refused.output()).doesNotContain("READY");
        }
    }
}
