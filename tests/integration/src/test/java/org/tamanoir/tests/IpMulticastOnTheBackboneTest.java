package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.lab.Bridge;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.LinkOptions;
import org.tamanoir.lab.PacketCounter;
import org.tamanoir.lab.Port;

/**
 * Where the network between the sites carries IP multicast, a source without a node sends each packet once, to the group: the nodes of the
 * sites hear it there, and hand it to their own networks by the same group. Without a node of the source the ways up are unicast.
 */
@Tag("lab")
class IpMulticastOnTheBackboneTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String GROUP = "239.1.2.3";
    private static final int SITES = 2;

    @TempDir
    Path directory;

    @Test
    void everyPacketCrossesTheBackboneOnce() throws Exception {
        LabRequirements requirements = LabRequirements.check().installMissing();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        try (Lab lab = Lab.open()) {
            Bridge backbone = lab.bridge(lab.host("backbone"), LinkOptions.DEFAULT);
            Host source = lab.host("source");
            Port access = backbone.join(source);
            List<Host> routers = new ArrayList<>();
            List<Port> ups = new ArrayList<>();
            List<Bridge> lans = new ArrayList<>();
            for (int i = 0; i < SITES; i++) {
                routers.add(lab.host("site" + i));
                ups.add(backbone.join(routers.get(i)));
                lans.add(lab.bridge(routers.get(i), LinkOptions.DEFAULT));
            }
            try (LabRepository repository = new LabRepository(routers.get(0), directory.resolve("repository"), Grid.bundle("dyram"))) {
                List<LabNode> nodes = new ArrayList<>();
                for (int i = 0; i < SITES; i++) {
                    nodes.add(LabNode.start(routers.get(i), directory.resolve("node" + i), configuration(ups.get(i), i == 0
                            ? "repositories: ['" + repository.url() + "']\n" : "neighbours: ['" + ups.get(0).ipv4().getHostAddress() + ":3324']\n")));
                }
                List<LabProcess> receivers = new ArrayList<>();
                for (int i = 0; i < SITES; i++) {
                    for (int j = 0; j < 2; j++) {
                        receivers.add(receive(lab, lans.get(i), "r" + i + "-" + j));
                    }
                }
                ups.get(1).lose(0.1);
                PacketCounter byGroup = routers.get(0).counter("ip daddr " + GROUP + " udp dport 5405");
                Path file = TestFile.halfCompressible(directory.resolve("file.bin"), 1_000_000);

                JsonNode summary = send(source, access, file);

                int sent = summary.path("sent").asInt();
                assertThat(byGroup.count().packets()).as("every packet once, and announcements and beats").isBetween((long) sent, sent + 200L);
                assertThat(SitesLab.count(nodes.get(0), "data")).isEqualTo(sent);
                assertThat(SitesLab.count(nodes.get(0), "copies")).as("to the site's own group").isEqualTo(sent);
                assertThat(SitesLab.count(nodes.get(1), "repairs_from_above")).isGreaterThan(sent / 20);
                for (LabProcess receiver : receivers) {
                    assertThat(receiver.awaitExit(PATIENCE)).as(receiver.errors()).isZero();
                }
                for (int i = 0; i < SITES; i++) {
                    for (int j = 0; j < 2; j++) {
                        assertThat(directory.resolve("r" + i + "-" + j).resolve("file.bin")).hasSameBinaryContentAs(file);
                    }
                }
            }
        }
    }

    private static String configuration(Port up, String services) {
        return "listen: '0.0.0.0:3322'\ncode: '0.0.0.0:3324'\n" + services + "links: {members: " + Lab.PREFIXES + ", interface: br0, hears: " + up.name() + "}\n"
                + "services: {dyram: {groups: '" + GROUP + ":5405'}}\n";
    }

    private LabProcess receive(Lab lab, Bridge lan, String name) {
        Host host = lab.host(name);
        lan.join(host);
        host.route("default", lan.port().ipv4());
        LabProcess process = host.start("receive", CommandLineTool.command("multicast", "receive", "--group", GROUP,
                "--via", lan.port().ipv4().getHostAddress() + ":3322", "--name", name, "--output", directory.resolve(name).toString()));
        process.awaitLine("READY ", PATIENCE);
        return process;
    }

    private static JsonNode send(Host source, Port access, Path file) throws Exception {
        Command.Result result = source.tryRun(PATIENCE, CommandLineTool.command("multicast", "send", file.toString(),
                "--group", GROUP, "--interface", access.name(), "--expect", "4", "--rate", "10M", "--json").toArray(String[]::new));
        assertThat(result.exit()).as("%s %s", result.output(), result.errors()).isZero();
        return CommandLineTool.json(result.output());
    }
}
