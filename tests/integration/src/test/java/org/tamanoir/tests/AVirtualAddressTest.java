package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.lab.Link;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Virtual;

/** A node sets its machine up for what directors forward to it as it is, says what is wrong, and leaves nothing behind. */
@Tag("lab")
@Timeout(180)
class AVirtualAddressTest {
    private static final String[] NOTHING = {"setpriv", "--inh-caps=-all", "--bounding-set=-all"};

    private static JsonNode cluster(LabNode node) {
        return node.get("/cluster");
    }

    private static void awaitReady(LabNode node) {
        await().untilAsserted(() -> {
            assertThat(cluster(node).path("problems")).isEmpty();
            assertThat(cluster(node).path("virtual").toString()).contains("streams come in at " + BackEndLab.VIRTUAL);
        });
    }

    /** Wrong: answers from another address; ARP for the virtual address; values that are not put back; what stays after a stop or a kill -9. */
    @Test
    void itIsTakenOverAnsweredFromAndTakenAwayAgain() throws Exception {
        try (BackEndLab lab = new BackEndLab()) {
            Path journal = lab.directory().resolve("node/data/cluster-setup.json");
            lab.host().sysctl("net.ipv4.conf." + lab.link().second().name() + ".arp_announce", "1");
            lab.frontend().services = List.of(new Virtual(BackEndLab.VIRTUAL, BackEndLab.PORT), new Virtual(BackEndLab.VIRTUAL6, BackEndLab.PORT));
            LabNode node = lab.node("[::]:3322", "");
            lab.frontend().awaitMore(2);
            assertThat(lab.has(BackEndLab.VIRTUAL)).as("where addresses are translated").isFalse();

            lab.frontend().method = Method.DIRECT;
            awaitReady(node);
            assertThat(List.of(lab.arp("arp_ignore"), lab.arp("arp_announce"))).isEqualTo(List.of("1", "2"));
            assertThat(Files.readString(journal)).contains(BackEndLab.VIRTUAL, BackEndLab.VIRTUAL6, "arp_ignore");
            assertThat(lab.isToldByArp()).isFalse();
            lab.carriesTcp(lab.virtual());
            assertThat(lab.carriesUdp(lab.virtual())).isEqualTo(lab.virtual());
            assertThat(lab.answers(lab.virtual())).as("who answers for a service of the node itself").isEqualTo(lab.virtual());
            InetSocketAddress own = new InetSocketAddress(lab.link().second().ipv4(), BackEndLab.PORT);
            assertThat(lab.carriesUdp(own)).isEqualTo(own);
            assertThat(lab.answers(own)).isEqualTo(own);
            InetSocketAddress six = new InetSocketAddress(BackEndLab.VIRTUAL6, BackEndLab.PORT);
            assertThat(lab.carriesUdp(six)).isEqualTo(six);

            lab.host().ip("address", "delete", BackEndLab.VIRTUAL + "/32", "dev", "lo");
            await("it is put back").until(() -> lab.has(BackEndLab.VIRTUAL));

            lab.frontend().method = Method.NAT;
            awaitNothing(lab, journal);

            lab.frontend().method = Method.DIRECT;
            awaitReady(node);
            node.kill();
            assertThat(lab.has(BackEndLab.VIRTUAL)).as("left by a node that was killed").isTrue();
            lab.frontend().hangs = true;
            LabNode next = lab.node("[::]:3322", "");
            awaitNothing(lab, journal);
            lab.frontend().hangs = false;
            awaitReady(next);
            next.end();
            awaitNothing(lab, journal);
        }
    }

    private static void awaitNothing(BackEndLab lab, Path journal) {
        await().untilAsserted(() -> {
            assertThat(lab.has(BackEndLab.VIRTUAL) || lab.has(BackEndLab.VIRTUAL6)).as("has a virtual address").isFalse();
            assertThat(List.of(lab.arp("arp_ignore"), lab.arp("arp_announce"))).isEqualTo(List.of("0", "1"));
            assertThat(journal).doesNotExist();
        });
    }

    /** Wrong: to listen at the node's own address alone; a way back that changes those of others. */
    @Test
    void answersLeaveByTheRouterThatTheOperatorNames() throws Exception {
        try (BackEndLab lab = new BackEndLab()) {
            String own = lab.link().second().ipv4().getHostAddress();
            lab.host().ip("rule", "add", "preference", "13220", "from", "192.0.2.1", "lookup", "main");
            lab.host().route("default", lab.link().first().ipv4());
            lab.frontend().method = Method.DIRECT;
            LabNode node = lab.node(own + ":3322", "");
            await().untilAsserted(() -> assertThat(cluster(node).path("problems").toString()).as("its default route leads to the director")
                    .contains("EE-908", "answers from " + BackEndLab.VIRTUAL + " leave by 10.0.1.1, which is a director"));
            lab.carriesTcp(lab.virtual());
            assertThat(lab.carriesUdp(lab.virtual())).isEqualTo(lab.virtual());

            // Answers leave by another interface than clients come in.
            Link aside = lab.aside();
            lab.host().route("default", aside.second().ipv4());
            lab.host().sysctl("net.ipv4.conf.all.rp_filter", "1");
            String filter = "net.ipv4.conf." + lab.link().second().name() + ".rp_filter";
            await().untilAsserted(() -> assertThat(cluster(node).path("problems").toString()).contains("EE-908 " + filter + " is ", "should be 2",
                    "answers leave by " + aside.first().name()));
            lab.host().sysctl(filter, "2");

            lab.host().ip("route", "delete", "default");
            lab.host().ip("route", "add", "default", "via", "10.0.1.77");
            node.configure(lab.configuration(own + ":3322", ", reply-via: 10.0.1.1"));
            // A client that is not next to the node: without the way back its answers go to a router that does not exist.
            lab.client().ip("address", "add", "203.0.113.5/32", "dev", "lo");
            lab.client().ip("route", "replace", BackEndLab.VIRTUAL + "/32", "via", own, "src", "203.0.113.5");
            await().untilAsserted(() -> assertThat(lab.host().ip("rule").output()).contains("from " + BackEndLab.VIRTUAL + " lookup 13221"));
            awaitReady(node);
            lab.carriesTcp(lab.virtual());
            node.end();
            await().untilAsserted(() -> assertThat(lab.host().ip("rule").output()).doesNotContain(BackEndLab.VIRTUAL).contains("192.0.2.1"));
            assertThat(lab.host().ip("route", "show", "table", "all").output()).doesNotContain("13221");
        }
    }

    /** Wrong: to say that it serves while what directors forward is lost; to say no more than that something is wrong; to end. */
    @Test
    void withoutCapabilitiesItSaysWhatIsMissingAndServesOn() throws Exception {
        try (BackEndLab lab = new BackEndLab()) {
            lab.frontend().method = Method.DIRECT;
            LabNode node = lab.node("[::]:3322", "", NOTHING);
            await().untilAsserted(() -> assertThat(cluster(node).path("problems").toString()).contains("EE-908", "CAP_NET_ADMIN",
                    "address add " + BackEndLab.VIRTUAL + "/32 dev lo"));
            assertThat(cluster(node).path("check").asText()).isEqualTo("failing: " + BackEndLab.VIRTUAL + " is not on this machine");
            assertThat(node.tell("status")).contains("EE-908").contains("cluster   b1 of default, serving");
            lab.carriesTcp(new InetSocketAddress(lab.link().second().ipv4(), BackEndLab.PORT));
            // What the operator does by hand is seen, and is not taken away.
            lab.host().ip("address", "add", BackEndLab.VIRTUAL + "/32", "dev", "lo");
            lab.host().sysctl("net.ipv4.conf." + lab.link().second().name() + ".arp_ignore", "1");
            lab.host().sysctl("net.ipv4.conf." + lab.link().second().name() + ".arp_announce", "2");
            await().until(() -> cluster(node).path("check").asText().equals("ok"));
            assertThat(lab.carriesUdp(lab.virtual())).isEqualTo(lab.virtual());
            lab.host().sysctl("net.ipv4.conf.all.arp_ignore", "3");
            await().untilAsserted(() -> assertThat(cluster(node).path("problems").toString())
                    .contains("net.ipv4.conf.all.arp_ignore is 3 and should be 1"));
            node.end();
            assertThat(lab.has(BackEndLab.VIRTUAL)).isTrue();
        }
    }

    /** Where the kernel has tunnels packets come out of one; where it has none, that is said. */
    @Test
    void aTunnelIsMadeOrItIsSaidThatTheKernelHasNone() throws Exception {
        try (BackEndLab lab = new BackEndLab()) {
            boolean has = lab.host().tryRun(Duration.ofSeconds(10), "ip", "link", "add", "try0", "type", "ipip", "local", "10.9.9.9").exit() == 0;
            lab.frontend().method = Method.TUNNEL;
            LabNode node = lab.node("[::]:3322", "");
            if (has) {
                lab.host().ip("link", "delete", "try0");
                awaitReady(node);
                lab.client().ip("link", "add", "to-back", "type", "ipip", "local", "10.0.1.1", "remote", "10.0.1.2");
                lab.client().ip("link", "set", "to-back", "up");
                lab.client().ip("route", "replace", BackEndLab.VIRTUAL + "/32", "dev", "to-back", "src", "10.0.1.1");
                lab.carriesTcp(lab.virtual());
                assertThat(lab.carriesUdp(lab.virtual())).isEqualTo(lab.virtual());
            } else {
                await().untilAsserted(() -> assertThat(cluster(node).path("problems").toString()).contains("EE-908", "ip link add name tamanoir-3322 type ipip"));
                assertThat(cluster(node).path("check").asText()).as("something else may take them out of the director's packets").isEqualTo("ok");
                lab.carriesTcp(lab.virtual());
            }
            node.end();
            await().until(() -> !lab.has(BackEndLab.VIRTUAL));
            assertThat(lab.host().ip("link").output()).doesNotContain("tamanoir-3322");
        }
    }
}
