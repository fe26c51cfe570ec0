package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Losses.Range;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Wrong;

/** One receiver lies; the others do not suffer, and it is found where it can be. */
class AHostileMemberTest {
    private static final int PACKETS = 400;

    @Test
    void aRangeBeyondAllNumbersIsRefusedWhole() {
        Scene scene = Scene.sites(1, PACKETS, 2, 2).start();
        scene.runUntilSent(PACKETS / 2);
        Place liar = scene.host(0);
        long refused = scene.count(scene.node(1), Count.REFUSED);

        for (long first : new long[] {Long.MAX_VALUE - 5, Long.MAX_VALUE, Long.MIN_VALUE, -1, PACKETS - 1, PACKETS}) {
            scene.say(liar, new Nack(Scene.SESSION, scene.cookie(liar), new Losses(List.of(new Range(first, 10, 0)))));
        }
        scene.simulation.runFor(Scene.MILLI);

        assertThat(scene.count(scene.node(1), Count.REFUSED) - refused).isEqualTo(6);
        assertThat(scene.node(1).node().losses()).isZero();
        assertThat(scene.runUntilOver(20)).isTrue();
        scene.assertDelivered();
    }

    @Test
    void oneThatMissesEverythingIsServedByItsNeighboursAndSlowsNobodyDown() {
        assertThat(slower(1_000_000, 3, 3)).isLessThan(1.25);
        assertThat(slower(100_000, 1, 1)).isLessThan(1.25);
    }

    /** Nobody else can repair for it: it costs the source packets. */
    @Test
    void anAskerWithoutEndTakesHalfOfTheRateAtMost() {
        assertThat(slower(200_000, 2)).isLessThan(2.25);
    }

    /** How many times as long a session takes in which one receiver asks for everything again and again. */
    private static double slower(long bits, int... hosts) {
        Scene honest = atRate(bits, hosts);
        assertThat(honest.runUntilOver(60)).isTrue();
        Scene scene = atRate(bits, hosts);
        scene.runUntilSent(20);
        missEverything(scene, scene.host(0));
        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
        return scene.simulation.now() / (double) honest.simulation.now();
    }

    private static Scene atRate(long bits, int... hosts) {
        Scene scene = Scene.sites(2, PACKETS, hosts);
        scene.rate = Rate.fixed(bits);
        return scene.start();
    }

    /** Every two milliseconds it asks for all that was sent. */
    private static void missEverything(Scene scene, Place liar) {
        int sent = (int) scene.status().sent();
        scene.say(liar, new Nack(Scene.SESSION, scene.cookie(liar), new Losses(List.of(new Range(0, sent, 0)))));
        scene.simulation.at(scene.simulation.now() + 2 * Scene.MILLI, () -> missEverything(scene, liar));
    }

    @Test
    void wrongRepairsAreFoundAndTheirSenderIsNamedAndNotAskedAgain() {
        Scene scene = Scene.sites(3, PACKETS, 3, 2).keep(message -> message instanceof Message.Request || message instanceof Data data
                && data.repair());
        Place liar = scene.host(1);
        liar.store().whenPut(index -> liar.store().body(index)[20] ^= 1);
        scene.topology.down(scene.host(0)).loss(0.2);
        scene.topology.down(scene.host(2)).loss(0.2);
        scene.start();

        assertThat(scene.runUntilOver(20)).isTrue();

        List<Place> honest = new ArrayList<>(scene.topology.hosts());
        honest.remove(liar);
        scene.assertDelivered(honest);
        assertThat(scene.count(scene.node(1), Count.BLAMED)).isEqualTo(1);
        assertThat(scene.status().members()).filteredOn(MemberStatus::wrong).extracting(MemberStatus::name).containsExactly(liar.name());
        // Its own copy does not stand the comparison either.
        assertThat(scene.status(liar).state()).isEqualTo(MemberStatus.State.FAILED);
        long lastAsked = scene.sent.stream().filter(sent -> sent.to().equals(liar.address()) && sent.message() instanceof Message.Request)
                .mapToLong(Scene.Sent::at).max().orElseThrow();
        long firstWrong = scene.sent.stream().filter(sent -> sent.message() instanceof Data data && data.replier() == scene.member(liar))
                .mapToLong(Scene.Sent::at).min().orElseThrow();
        assertThat(lastAsked - firstWrong).as("nanoseconds for which it was still asked").isLessThan(10 * Scene.MILLI);
    }

    @Test
    void aBlameIsBelievedOnlyOfOneWhoRepaired() {
        Scene scene = Scene.sites(4, PACKETS, 2, 2).start();
        scene.runUntilSent(PACKETS / 2);
        Place liar = scene.host(0);
        for (Place victim : scene.topology.hosts()) {
            scene.say(liar, new Wrong(Scene.SESSION, scene.cookie(liar), 7, scene.member(victim)));
        }

        assertThat(scene.runUntilOver(20)).isTrue();

        scene.assertDelivered();
        assertThat(scene.status().members()).noneMatch(MemberStatus::wrong);
        assertThat(scene.topology.nodes()).allSatisfy(place -> assertThat(scene.count(place, Count.BLAMED)).isZero());
    }

    @Test
    void aRepairThatNobodyAskedForGoesNowhere() {
        Scene scene = Scene.sites(5, PACKETS, 3, 2).start();
        scene.lose(200, scene.host(0));
        scene.runUntilSent(100);
        Place liar = scene.host(1);
        byte[] junk = new byte[Scene.PACKET_SIZE + 16];
        int copies = copies(scene);

        for (int i = 0; i < 50; i++) {
            // Nobody misses it, or everybody will: it was not sent yet.
            repair(scene, liar, i % 2 == 0 ? i : 300 + i, scene.cookie(liar), scene.member(liar), junk);
        }
        scene.simulation.runFor(2 * Scene.MILLI);
        assertThat(copies(scene)).isEqualTo(copies);
        assertThat(scene.count(scene.node(1), Count.UNASKED)).isEqualTo(50);
        assertThat(scene.runUntilOver(20)).isTrue();
        scene.assertDelivered();
        assertThat(scene.topology.hosts()).allSatisfy(host -> assertThat(host.receiver().status().wrong()).isZero());
    }

    @Test
    void withoutTheCookieNothingIsBelieved() {
        Scene scene = Scene.sites(6, PACKETS, 3, 2).start();
        scene.runUntilSent(100);
        Place liar = scene.host(1);
        Place victim = scene.host(0);
        long strange = scene.cookie(victim);
        long refused = scene.count(scene.node(1), Count.REFUSED);

        scene.say(liar, new Nack(Scene.SESSION, strange, Losses.of(5, 0)));
        scene.say(liar, new Message.Leave(Scene.SESSION, strange, scene.member(victim)));
        scene.say(liar, new Wrong(Scene.SESSION, strange, 5, scene.member(victim)));
        repair(scene, liar, 5, strange, scene.member(liar), new byte[100]);
        // And with its own cookie it speaks for itself alone.
        scene.say(liar, new Message.Leave(Scene.SESSION, scene.cookie(liar), scene.member(victim)));
        scene.simulation.runFor(Scene.MILLI);

        assertThat(scene.count(scene.node(1), Count.REFUSED) - refused).isEqualTo(4);
        assertThat(scene.node(1).node().losses()).isZero();
        assertThat(scene.runUntilOver(20)).isTrue();
        scene.assertDelivered();
    }

    private static int copies(Scene scene) {
        return (int) scene.topology.hosts().stream().mapToLong(host -> scene.topology.down(host).data()
                - host.receiver().status().have()).sum();
    }

    private static void repair(Scene scene, Place from, long sequence, long cookie, int replier, byte[] body) {
        scene.say(from, new Data(Scene.SESSION, sequence, true, replier, cookie, io.netty.buffer.Unpooled.wrappedBuffer(body), null));
    }
}
