package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.wire.Held;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Have;

/** Receivers that hold packets before they were sent: only what somebody lacks crosses a link, and who says what is not so harms itself. */
class WhatReceiversHoldTest {
    private static final int PACKETS = 1_000;
    private static final int HEAD = 3;

    private final Scene scene = Scene.sites(11, PACKETS, 2, 2);

    private void hold(int host, int from, int to) {
        BitSet held = new BitSet();
        held.set(from, to);
        new Finding(scene, scene.host(host), held, 100 * Scene.MILLI);
    }

    private void run() {
        scene.content.head(HEAD);
        scene.keep(message -> message instanceof Data).start();
        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
    }

    private long crossed(Place place) {
        return scene.sent.stream().filter(sent -> place.above() == null ? sent.from().equals(scene.topology.source())
                : sent.from().equals(place.above().address())).filter(sent -> sent.to().equals(place.address())).count();
    }

    @Test
    void whatEverybodyHoldsIsNotSent() {
        for (int host = 0; host < 4; host++) {
            hold(host, 0, PACKETS);
        }
        scene.rate = Rate.fixed(1_000_000);
        run();
        assertThat(scene.status().sent()).isEqualTo(HEAD);
        assertThat(scene.status().skipped()).isEqualTo(PACKETS - HEAD);
        assertThat(crossed(scene.node(0))).isEqualTo(HEAD);
        assertThat(scene.simulation.now()).as("sending would take 4.6 s").isLessThan(Scene.SECOND);
        assertThat(scene.host(0).receiver().status().found()).isEqualTo(PACKETS - HEAD);
    }

    /** As after a source that died: each has lost other packets, and lacks what was not sent. */
    @Test
    void aSendThatIsBegunAgainSendsWhatIsMissing() {
        for (int host = 0; host < 4; host++) {
            hold(host, 0, PACKETS / 2 + 10 * host);
        }
        run();
        assertThat(crossed(scene.node(0))).isEqualTo(PACKETS / 2 + HEAD);
        assertThat(scene.status().repairs()).isZero();
        assertThat(scene.count(scene.node(0), Count.NACKS)).as("nodes miss nothing of what was not sent").isZero();
    }

    @Test
    void aSiteThatHoldsEverythingIsSentNothing() {
        hold(0, 0, PACKETS);
        hold(1, 0, PACKETS);
        run();
        assertThat(crossed(scene.node(0))).as("with one who has nothing everything is sent").isEqualTo(PACKETS);
        assertThat(crossed(scene.node(1))).as("to the site that holds it").isEqualTo(HEAD);
        assertThat(scene.count(scene.node(1), Count.ASKED_ABOVE)).isZero();
    }

    @Test
    void whereNobodyHoldsAnythingTheSourceWaitsForARoundTripAlone() {
        for (int host = 0; host < 4; host++) {
            hold(host, 0, 0);
        }
        run();
        assertThat(scene.status().sent()).isEqualTo(PACKETS);
        long sending = PACKETS * 580L * 8 * Scene.SECOND / 20_000_000;
        assertThat(scene.simulation.now()).isLessThan(sending + 800 * Scene.MILLI);
    }

    /** The receivers are of a version that does not know of it. */
    @Test
    void receiversThatSayNothingAreWaitedForForASecond() {
        run();
        assertThat(scene.status().sent()).isEqualTo(PACKETS);
        assertThat(scene.simulation.now()).isLessThan(3 * Scene.SECOND);
    }

    @Test
    void whatIsHeldIsRepairedForThoseThatLackIt() {
        for (int host = 0; host < 4; host++) {
            hold(host, 0, PACKETS);
        }
        scene.late = Late.SERVE;
        scene.gathering = Duration.ofSeconds(1);
        Place late = scene.topology.host("late", scene.node(1), Scene.MILLI / 10);
        scene.content.head(HEAD);
        scene.topology.nodes().forEach(scene.topology::start);
        scene.topology.hosts().subList(0, 4).forEach(scene.topology::start);
        scene.startSource();
        scene.simulation.runFor(1_500 * Scene.MILLI);
        scene.topology.start(late);

        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
        assertThat(scene.status().sent() + scene.status().repairs()).as("packets that the source has sent").isLessThan(PACKETS / 20);
        assertThat(late.receiver().status().repaired()).isGreaterThan(PACKETS * 9L / 10);
    }

    @Test
    void whoSaysWhatIsNotSoHarmsItself() {
        hold(1, 0, PACKETS);
        scene.content.head(HEAD);
        scene.observer((now, from, to, message, arrives) -> {
            if (message instanceof Data && to.equals(scene.host(0).address()) || message instanceof Data && to.getAddress().isMulticastAddress()) {
                scene.simulation.at(now + Scene.MILLI, () -> scene.say(scene.host(0), new Have(Scene.SESSION, scene.cookie(scene.host(0)), false,
                        new Held(List.of(new Held.Range(scene.first, PACKETS))))));
            }
        });
        run();
        assertThat(scene.host(2).receiver().status().repaired() + scene.host(3).receiver().status().repaired()).as("others lose nothing").isZero();
        assertThat(scene.host(0).receiver().status().found()).isZero();
    }

    @Test
    void whatIsNotOfTheSessionIsRefused() {
        scene.content.head(HEAD);
        scene.start();
        scene.runUntilSent(HEAD);
        scene.simulation.runFor(100 * Scene.MILLI);
        long before = scene.count(scene.node(1), Count.REFUSED);
        for (Held.Range range : List.of(new Held.Range(scene.first - 1, 1), new Held.Range(scene.first, PACKETS + 1), new Held.Range(scene.first + PACKETS, 1))) {
            scene.say(scene.host(0), new Have(Scene.SESSION, scene.cookie(scene.host(0)), false, new Held(List.of(range))));
        }
        scene.say(scene.host(0), new Have(Scene.SESSION, 1, false, new Held(List.of(new Held.Range(scene.first, PACKETS)))));
        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
        assertThat(scene.count(scene.node(1), Count.REFUSED) - before).isEqualTo(4);
        assertThat(scene.status().sent()).isEqualTo(PACKETS);
    }
}
