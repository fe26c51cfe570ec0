package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Heard;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Request;

/** Who is asked for a packet, in which order, and who gets the repair: one loss at a time, message by message. */
class ARepairStaysLocalTest {
    private static final int PACKETS = 900;
    private static final long LOST = 700;
    private static final HopSettings LATE = HopSettings.DEFAULT.detect(false);

    private static Scene scene(HopSettings settings, int... hosts) {
        return Scene.sites(1, PACKETS, settings, settings, hosts).keep(message -> message instanceof Nack || message instanceof Request
                || message instanceof Heard || message instanceof Data data && data.repair());
    }

    /** "NACK host 0.1", "REPAIR site 0 > host 0.0": what was said about packets that were missing. */
    private static List<String> said(Scene scene) {
        return scene.sent.stream().map(sent -> (sent.message() instanceof Data ? "repair" : sent.message().getClass().getSimpleName()
                .toLowerCase(java.util.Locale.ROOT)) + " " + scene.simulation.name(sent.from()) + " > " + scene.simulation.name(sent.to()))
                .toList();
    }

    private static void finish(Scene scene) {
        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered();
    }

    @Test
    void theDelayToDecideFindsOutWhoElseMissesIt() {
        Scene scene = scene(HopSettings.DEFAULT, 3);
        // The second one's request comes a millisecond and a half later, and it would be elected next.
        scene.simulation.pipe(scene.host(1).address(), scene.node(1).address()).delay(3 * Scene.MILLI / 2);
        scene.lose(LOST, scene.host(0), scene.host(1));
        scene.start();
        finish(scene);

        assertThat(said(scene)).containsExactly("nack host 0.0 > site 0", "nack host 0.1 > site 0", "request site 0 > host 0.2",
                "repair host 0.2 > site 0", "repair site 0 > host 0.0", "repair site 0 > host 0.1");
    }

    @Test
    void aReplierThatDiesIsReplacedByTheNodeWithinItsTimer() {
        Scene scene = scene(HopSettings.DEFAULT, 3);
        scene.lose(LOST, scene.host(0));
        AtomicLong asked = new AtomicLong();
        AtomicLong repaired = new AtomicLong();
        scene.observer((now, from, to, message, arrives) -> {
            if (message instanceof Request && asked.compareAndSet(0, now)) {
                scene.topology.kill(scene.topology.at(to));
            } else if (message instanceof Data data && data.repair() && to.equals(scene.host(0).address())) {
                repaired.compareAndSet(0, now);
            }
        });
        scene.start();
        assertThat(scene.runUntilOver(30)).isTrue();

        Place dead = scene.topology.hosts().stream().filter(host -> !host.allHave(PACKETS - 1)).findFirst().orElseThrow();
        Place living = scene.host(1) == dead ? scene.host(2) : scene.host(1);
        scene.assertDelivered(List.of(scene.host(0), living));
        // The one that misses it may repeat itself meanwhile.
        assertThat(said(scene).stream().distinct()).startsWith("nack host 0.0 > site 0", "request site 0 > " + dead.name(),
                "request site 0 > " + living.name(), "repair " + living.name() + " > site 0", "repair site 0 > host 0.0");
        assertThat(said(scene)).filteredOn(line -> line.equals("request site 0 > " + dead.name())).hasSize(1);
        assertThat(said(scene)).noneMatch(line -> line.startsWith("nack site"));
        assertThat(repaired.get() - asked.get()).as("nanoseconds from the first request to the repair").isLessThan(10 * Scene.MILLI);
    }

    @Test
    void whenAllRepliersAreDeadItIsAskedForAbove() {
        Scene scene = scene(HopSettings.DEFAULT, 3);
        scene.lose(LOST, scene.host(0));
        scene.observer((now, from, to, message, arrives) -> {
            if (message instanceof Request) {
                scene.topology.kill(scene.topology.at(to));
            }
        });
        scene.start();
        assertThat(scene.runUntilOver(30)).isTrue();

        scene.assertDelivered(List.of(scene.host(0)));
        assertThat(said(scene).stream().filter(line -> !line.startsWith("request")).distinct()).startsWith("nack host 0.0 > site 0", "nack site 0 > core",
                "nack core > source", "repair source > core", "repair core > site 0", "repair site 0 > host 0.0");
        assertThat(scene.sent).filteredOn(sent -> sent.message() instanceof Request && sent.from().equals(scene.node(1).address())).hasSize(2);
        assertThat(scene.status().repairs()).isEqualTo(1);
    }

    /** Another site asks, the one that could repair is dead, and nobody here misses the packet: nobody would ask again. */
    @Test
    void whatAboveAloneWantsIsForgottenWithoutARepairTimer() {
        Scene scene = Scene.sites(1, PACKETS, HopSettings.DEFAULT, HopSettings.DEFAULT.repairTimer(false), 1, 1);
        scene.lose(LOST, scene.host(0));
        scene.observer((now, from, to, message, arrives) -> {
            if (message instanceof Request && to.equals(scene.host(1).address())) {
                scene.topology.kill(scene.host(1));
            }
        });
        scene.start();
        assertThat(scene.simulation.runUntil(() -> scene.node(2).node().losses() > 0, 30 * Scene.SECOND)).isTrue();

        scene.simulation.runFor(Scene.SECOND);

        assertThat(scene.node(2).node().losses()).isZero();
        assertThat(scene.host(0).allHave(LOST)).isTrue();
    }

    @Test
    void aSiteWithOneReceiverAsksAboveAtOnceAndAnotherSiteRepairs() {
        Scene scene = scene(HopSettings.DEFAULT, 1, 2);
        scene.lose(LOST, scene.host(0));
        scene.start();
        finish(scene);

        // The host may repeat itself on its own link while the repair comes from far.
        List<String> once = said(scene).stream().distinct().toList();
        assertThat(once).startsWith("nack host 0.0 > site 0", "nack site 0 > core", "request core > site 1").hasSize(8);
        assertThat(once.get(3)).startsWith("request site 1 > host 1.");
        assertThat(once.subList(4, 8)).allMatch(line -> line.startsWith("repair")).last().isEqualTo("repair site 0 > host 0.0");
        assertThat(said(scene)).filteredOn(line -> !line.startsWith("nack host")).hasSize(7);
        assertThat(scene.status().repairs()).isZero();
    }

    @Test
    void whatASiteLostIsFoundByItsNodeAndRepairedByAnotherSite() {
        Scene scene = scene(HopSettings.DEFAULT, 2, 2);
        scene.lose(LOST, scene.node(1));
        scene.start();
        finish(scene);

        assertThat(scene.count(scene.node(1), Count.DETECTED)).isEqualTo(1);
        // No host asks: the node has told them that it does.
        assertThat(said(scene)).filteredOn(line -> line.startsWith("nack")).containsExactly("nack site 0 > core");
        assertThat(said(scene)).filteredOn(line -> line.startsWith("heard")).containsExactlyInAnyOrder("heard site 0 > host 0.0",
                "heard site 0 > host 0.1");
        assertThat(scene.status().repairs()).isZero();
        // One copy on the site's link; on its network one to the group, which both hear.
        assertThat(said(scene)).filteredOn(line -> line.startsWith("repair")).hasSize(5).endsWith("repair core > site 0",
                "repair site 0 > host 0.0", "repair site 0 > host 0.1");
        assertThat(scene.count(scene.node(1), Count.REPAIR_COPIES)).isEqualTo(1);
    }

    @Test
    void oneRequestGoesUpForAllThatMissAPacket() {
        Scene scene = scene(LATE, 4, 4);
        scene.lose(LOST, scene.node(1));
        scene.start();
        finish(scene);

        assertThat(said(scene)).filteredOn(line -> line.startsWith("nack host")).hasSizeGreaterThanOrEqualTo(4);
        assertThat(said(scene)).filteredOn(line -> line.startsWith("nack site")).containsExactly("nack site 0 > core");
        assertThat(scene.status().nacks()).isZero();
    }

    @Test
    void aRequestThatCrossedTheRepairIsNotAnswered() {
        Scene scene = scene(HopSettings.DEFAULT, 2);
        scene.lose(LOST, scene.host(0));
        scene.observer((now, from, to, message, arrives) -> {
            if (message instanceof Data data && data.repair() && to.equals(scene.host(0).address())) {
                scene.simulation.at(now + 1, () -> scene.say(scene.host(0), new Nack(Scene.SESSION, scene.cookie(scene.host(0)),
                        Losses.of(LOST, 1))));
            }
        });
        scene.start();
        finish(scene);

        assertThat(said(scene)).filteredOn(line -> line.startsWith("request")).hasSize(1);
        assertThat(scene.count(scene.node(1), Count.SUPPRESSED)).isEqualTo(1);
    }

    @Test
    void onlyWhoWasAskedMayRepair() {
        Scene scene = scene(HopSettings.DEFAULT, 3);
        scene.lose(LOST, scene.host(0));
        scene.observer((now, from, to, message, arrives) -> {
            if (message instanceof Request) {
                Place other = scene.topology.at(to) == scene.host(1) ? scene.host(2) : scene.host(1);
                // It is faster than the one that was asked.
                scene.simulation.at(now, () -> scene.say(other, new Data(Scene.SESSION, LOST, true, scene.member(other), scene.cookie(other),
                        Unpooled.wrappedBuffer(new byte[Scene.PACKET_SIZE + 16]), null)));
            }
        });
        scene.start();
        finish(scene);

        assertThat(scene.host(0).receiver().status().wrong()).isZero();
        assertThat(scene.count(scene.node(1), Count.UNASKED)).isEqualTo(1);
    }

    @Test
    void overlargeRequestsAreCountedAndNotServed() {
        Scene scene = Scene.sites(1, 600, 2).start();
        scene.runUntilSent(599);
        Place greedy = scene.host(0);
        for (int i = 0; i < 200; i++) {
            scene.say(greedy, new Nack(Scene.SESSION, scene.cookie(greedy), new Losses(List.of(new Losses.Range(0, 500, 0)))));
        }
        finish(scene);

        // The burst of a link, and no more.
        assertThat(scene.count(scene.node(1), Count.OVER_BUDGET)).isEqualTo(200 * 500 - 65_536L);
    }
}
