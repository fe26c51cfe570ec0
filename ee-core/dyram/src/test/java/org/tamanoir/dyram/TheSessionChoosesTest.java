package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.ServiceChoice;
import org.tamanoir.dyram.wire.SessionTerms;

/** The services of nodes are chosen by the session, within what the operator of each node allows, and by nobody between. */
class TheSessionChoosesTest {
    private static final int PACKETS = 400;

    private static Scene scene(String services, HopSettings site) {
        Scene scene = Scene.sites(3, PACKETS, HopSettings.DEFAULT, site, 3, 3);
        scene.services = ServiceChoice.parse(services);
        scene.topology.hosts().forEach(host -> scene.topology.down(host).loss(0.05));
        scene.topology.nodes().forEach(node -> scene.topology.down(node).loss(0.05));
        return scene;
    }

    private static void finish(Scene scene) {
        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
    }

    /** What a node reports of the session. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> report(Place node) {
        return ((List<Map<String, Object>>) node.node().report().get("sessions")).get(0);
    }

    /** DyRAM+ of figure 13: early detection in the source's node, repliers among the hosts of a site. */
    @Test
    void theSourcesNodeDetectsAndTheOthersElect() {
        Scene scene = scene("detect@source,aggregate,subcast,repair-timer,elect-hosts@others", HopSettings.DEFAULT).start();
        scene.runUntilSent(PACKETS - 1);
        assertThat(report(scene.node(0))).containsEntry("services", List.of("detect", "aggregate", "subcast", "repair-timer"));
        assertThat(report(scene.node(1))).containsEntry("services", List.of("aggregate", "subcast", "elect-hosts", "repair-timer"));
        finish(scene);

        assertThat(scene.count(scene.node(0), Count.DETECTED)).isPositive();
        assertThat(scene.count(scene.node(0), Count.ELECTED)).isZero();
        for (Place site : scene.topology.nodes().subList(1, 3)) {
            assertThat(scene.count(site, Count.DETECTED)).isZero();
            assertThat(scene.count(site, Count.ELECTED)).isPositive();
            assertThat(scene.count(site, Count.SERVICES_REFUSED)).isZero();
        }
    }

    @Test
    void aNodeDoesNoMoreThanItsOperatorAllowsAndSaysSo() {
        Scene scene = scene("detect,subcast,elect", HopSettings.DEFAULT.elect(Election.HOSTS).detect(false)).start();
        scene.runUntilSent(PACKETS - 1);
        assertThat(report(scene.node(0))).containsEntry("services", List.of("detect", "subcast", "elect-hosts", "elect-sites"))
                .containsEntry("refused", List.of());
        assertThat(report(scene.node(1))).containsEntry("services", List.of("subcast", "elect-hosts"))
                .containsEntry("refused", List.of("detect", "elect-sites"));
        finish(scene);

        assertThat(scene.count(scene.node(1), Count.DETECTED)).isZero();
        assertThat(scene.count(scene.node(1), Count.SERVICES_REFUSED)).isEqualTo(2);
    }

    /** What a receiver asks for goes up at once without aggregate, so nobody beside it is asked first. */
    @Test
    void withoutAggregateNobodyIsElectedForWhatReceiversAsk() {
        assertThat(elected("subcast,elect,repair-timer")).isZero();
        assertThat(elected("aggregate,subcast,elect,repair-timer")).isPositive();
    }

    private static long elected(String services) {
        Scene scene = scene(services, HopSettings.DEFAULT).start();
        finish(scene);
        return scene.topology.nodes().stream().mapToLong(node -> scene.count(node, Count.ELECTED)).sum();
    }

    /** Everything is what a node has: it refuses nothing of that. */
    @Test
    void aSessionThatChoosesNothingGetsWhatThereIs() {
        Scene scene = scene("all", HopSettings.DEFAULT.aggregate(false)).start();
        scene.runUntilSent(PACKETS - 1);
        assertThat(report(scene.node(0))).containsEntry("services", HopSettings.DEFAULT.services().names());
        assertThat(report(scene.node(1))).containsEntry("services", HopSettings.DEFAULT.aggregate(false).services().names())
                .containsEntry("refused", List.of());
        finish(scene);
        assertThat(scene.count(scene.node(1), Count.SERVICES_REFUSED)).isZero();
    }

    /** The source's node changes the choice on its way to one site: the receivers there do not believe the announcement. */
    @Test
    void whoeverChangesTheChoiceOnItsWayKeepsReceiversOut() {
        Scene scene = scene("aggregate,subcast,elect", HopSettings.DEFAULT);
        scene.gathering = Duration.ofSeconds(3);
        change(scene, scene.node(1), 0);
        scene.start();

        assertThat(scene.runUntilOver(60)).isTrue();
        assertThat(scene.topology.hosts().subList(0, 3)).allSatisfy(host -> {
            assertThat(host.receiver().status().error().code()).isEqualTo(ErrorCode.NOT_AUTHENTIC);
            assertThat(host.receiver().status().have()).isZero();
        });
        scene.assertDelivered(scene.topology.hosts().subList(3, 6));
    }

    @Test
    void theChoiceOfASessionThatIsKnownIsNotChangedAnyMore() {
        Scene scene = scene("aggregate,subcast,elect", HopSettings.DEFAULT);
        scene.gathering = Duration.ofSeconds(3);
        scene.expect = 7;
        change(scene, scene.node(1), 2);
        scene.start();
        scene.runUntilSent(PACKETS - 1);

        assertThat(report(scene.node(1))).containsEntry("services", List.of("aggregate", "subcast", "elect-hosts", "elect-sites"));
        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered(scene.topology.hosts());
    }

    /** From a second on announcements to a node ask for no services. */
    private static void change(Scene scene, Place node, int second) {
        InetSocketAddress above = node.above().address();
        scene.topology.down(node).drop(message -> message instanceof Announce announce && scene.simulation.now() >= second * Scene.SECOND
                && announce.terms().services().equals(scene.services));
        scene.observer((now, from, to, message, arrives) -> {
            if (message instanceof Announce announce && to.equals(node.address()) && now >= second * Scene.SECOND
                    && announce.terms().services().equals(scene.services)) {
                SessionTerms terms = announce.terms();
                SessionTerms changed = new SessionTerms(terms.group(), terms.first(), terms.packets(), terms.packetSize(), terms.rate(),
                        terms.started(), terms.salt(), ServiceChoice.parse("none"));
                Message forged = new Announce(announce.session(), announce.number(), announce.hops(), announce.toGroup(), changed, announce.tag());
                scene.simulation.at(now, () -> scene.simulation.outlet(above).send(forged, node.address()));
            }
        });
    }
}
