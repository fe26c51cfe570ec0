package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.node.NodeCore;
import org.tamanoir.dyram.node.NodeSettings;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.wire.Codec;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Message.Listen;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/** Whoever lies about its address, or claims others' sessions, cannot make a node send more than three times what came. */
@Tag("seeded")
class ANodeAmplifiesNothingTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long SESSION = 0xbad;
    private static final InetSocketAddress ATTACKER = at("10.9.9.9", 4000);
    private static final InetSocketAddress NEIGHBOUR = at("10.8.8.8", 3322);
    private static final SessionKey KEY = SessionKey.of(new byte[0], SESSION, 7);
    private static final SessionTerms TERMS = new SessionTerms(Tree.GROUP, 0, 1_000_000, 1_400, 1_000_000_000, false, 7);

    private record Sent(InetSocketAddress to, Message message) {
    }

    private final Map<InetSocketAddress, Long> in = new HashMap<>();
    private final Map<InetSocketAddress, Long> out = new HashMap<>();
    private final List<Sent> sent = new ArrayList<>();
    private final NodeCore node = new NodeCore(new NodeSettings(HopSettings.DEFAULT, () -> List.of(NEIGHBOUR), false), this::sent, new Random(1));
    private long now = SECOND;

    private static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(address, port);
    }

    private static InetSocketAddress victim(int number) {
        return at("192.0.2." + number, 5000);
    }

    private static int length(Message message) {
        ByteBuf packet = Codec.encode(message, UnpooledByteBufAllocator.DEFAULT);
        int length = packet.readableBytes();
        packet.release();
        return length;
    }

    private void sent(Message message, InetSocketAddress to) {
        out.merge(to, (long) length(message), Long::sum);
        sent.add(new Sent(to, message));
    }

    private void say(InetSocketAddress from, Message message) {
        in.merge(from, (long) length(message), Long::sum);
        node.onMessage(now, message, from);
        node.flush(now);
        now += MILLI;
    }

    /** It says something and answers what it is asked, as an honest one does; then it says it again. */
    private void sayHonestly(InetSocketAddress from, Message message) {
        int before = sent.size();
        say(from, message);
        for (Sent each : List.copyOf(sent.subList(before, sent.size()))) {
            if (each.to().equals(from) && each.message() instanceof Challenge challenge) {
                say(from, new Answer(challenge.session(), challenge.cookie()));
                say(from, message);
            }
        }
    }

    private static Announce announce(int number) {
        return KEY.sign(new Announce(SESSION, number, 16, false, TERMS, SessionKey.NO_TAG));
    }

    private static Join join(String name) {
        return KEY.sign(new Join(SESSION, name, name.hashCode(), false, false, SessionKey.NO_TAG));
    }

    private static Accept accept(String name, int member) {
        return KEY.sign(new Accept(SESSION, name, name.hashCode(), member, 99, SessionKey.NO_TAG));
    }

    private static Data data(long sequence) {
        return new Data(SESSION, sequence, false, 0, 0, Unpooled.wrappedBuffer(new byte[16 + 1_400]), null);
    }

    private long count(Class<? extends Message> kind) {
        return sent.stream().filter(each -> kind.isInstance(each.message())).count();
    }

    /** Everything that went to somebody who never showed that it is there. */
    private void assertNoVictim() {
        assertThat(out.entrySet()).filteredOn(each -> !each.getKey().equals(ATTACKER) && !each.getKey().equals(NEIGHBOUR))
                .allSatisfy(each -> assertThat(each.getValue()).as("octets to %s", each.getKey())
                        .isLessThanOrEqualTo(3 * in.getOrDefault(each.getKey(), 0L)));
    }

    @Test
    void joinsAndAcceptsInTheNamesOfOthersCarryNoDataToThem() {
        sayHonestly(ATTACKER, announce(1));
        assertThat(node.sessions()).as("the attacker may have a session of its own").isEqualTo(1);
        for (int i = 1; i <= 50; i++) {
            say(victim(i), join("victim " + i));
            say(ATTACKER, accept("victim " + i, i));
        }
        for (int i = 0; i < 20; i++) {
            say(ATTACKER, data(i));
        }

        assertThat(count(Data.class)).isZero();
        assertNoVictim();
    }

    /** One that has answered for its own session has not answered for the attacker's. */
    @Test
    void aReceiverOfOneSessionIsNotPutIntoAnother() {
        InetSocketAddress receiver = victim(1);
        SessionKey key = SessionKey.of(new byte[0], 5, 5);
        sayHonestly(at("10.1.1.1", 4000), key.sign(new Announce(5, 1, 16, false, new SessionTerms(Tree.GROUP, 0, 10, 1_400, 1_000_000, false, 5),
                SessionKey.NO_TAG)));
        sayHonestly(receiver, key.sign(new Join(5, "honest", 1, false, false, SessionKey.NO_TAG)));
        sayHonestly(receiver, new Listen(Tree.GROUP));
        assertThat(count(Join.class)).isEqualTo(1);

        sayHonestly(ATTACKER, announce(1));
        say(receiver, join("forged"));
        say(ATTACKER, accept("forged", 1));
        say(ATTACKER, data(0));

        assertThat(count(Data.class)).isZero();
        assertThat(count(Join.class)).isEqualTo(1);
    }

    @Test
    void listensInTheNamesOfOthersBringThemNoAnnouncements() {
        for (int port = 1; port <= 300; port++) {
            say(at("192.0.2.1", port), new Listen(Tree.GROUP));
        }
        for (int number = 1; number <= 5; number++) {
            sayHonestly(ATTACKER, announce(number));
            now += SECOND;
        }

        assertThat(sent).noneMatch(each -> each.message() instanceof Announce && !each.to().equals(NEIGHBOUR));
        assertNoVictim();
    }

    @Test
    void anAnnouncementInTheNameOfAnotherMakesNoSession() {
        say(victim(1), announce(1));
        sayHonestly(at("10.1.1.1", 1), join("receiver"));

        assertThat(node.sessions()).isZero();
        assertThat(count(Join.class)).isZero();
        assertNoVictim();
    }

    /** The operator has named it, so its session is known at once; but nobody can have it flooded with requests and reports. */
    @Test
    void aNeighbourInWhoseNameOthersSpeakGetsTheJoinsOfReceiversAndNoMore() {
        InetSocketAddress receiver = at("10.1.1.1", 1);
        say(NEIGHBOUR, announce(1));
        sayHonestly(receiver, join("receiver"));
        say(NEIGHBOUR, accept("receiver", 1));
        for (int i = 1; i < 500; i++) {
            say(NEIGHBOUR, KEY.sign(new Message.Beat(SESSION, i, 1_000L * i, 0, false, new byte[0], SessionKey.NO_TAG)));
            now += 20 * MILLI;
            node.onTimer(now);
        }

        assertThat(sent).filteredOn(each -> each.to().equals(NEIGHBOUR)).extracting(each -> each.message().getClass().getSimpleName())
                .containsOnly("Challenge", "Join");
        assertThat(count(Join.class)).isEqualTo(1);
    }

    @Test
    void theWayUpOfASilentSessionIsTakenOnlyByOneThatAnswers() {
        sayHonestly(at("10.1.1.1", 4000), announce(1));
        sayHonestly(at("10.1.2.1", 4000), join("receiver"));
        now += 5 * SECOND;

        say(victim(1), announce(2));
        sayHonestly(at("10.1.2.1", 4000), join("receiver"));

        assertThat(sent).filteredOn(each -> each.message() instanceof Join).extracting(Sent::to).containsOnly(at("10.1.1.1", 4000));
        assertNoVictim();
    }

    /** Its source is gone and somebody else has its address: it is not spoken to for ever because others go on in its name. */
    @Test
    void aWayUpHasToAnswerAgainAndAgain() {
        sayHonestly(ATTACKER, announce(1));
        sayHonestly(at("10.1.2.1", 4000), join("receiver"));
        say(ATTACKER, accept("receiver", 1));
        for (int number = 2; number <= 100; number++) {
            now += SECOND;
            say(ATTACKER, announce(number));
            node.onTimer(now);
        }

        assertThat(node.sessions()).isZero();
    }

    @Test
    void whoSendsFasterThanItsSessionIsNotPassedOn() {
        SessionTerms slow = new SessionTerms(Tree.GROUP, 0, 1_000_000, 1_400, 1_000_000, false, 7);
        sayHonestly(ATTACKER, KEY.sign(new Announce(SESSION, 1, 16, false, slow, SessionKey.NO_TAG)));
        sayHonestly(at("10.1.2.1", 4000), join("receiver"));
        say(ATTACKER, accept("receiver", 1));
        long before = now;
        for (int i = 0; i < 10_000; i++) {
            node.onMessage(now, data(i), ATTACKER);
            now += MILLI / 10;
        }

        // A second of 85 packets, and a burst.
        assertThat((now - before) / SECOND).isEqualTo(1);
        assertThat(count(Data.class)).isBetween(85L, 600L);
        assertThat(node.counters().get(Count.OVER_RATE)).isEqualTo(10_000 - count(Data.class));
    }

    @Test
    void announcementsWithoutEndReachListenersAtTheirUsualRate() {
        InetSocketAddress listener = at("10.1.2.1", 4000);
        sayHonestly(listener, new Listen(Tree.GROUP));
        sayHonestly(ATTACKER, announce(1));
        long before = count(Announce.class);
        for (int number = 2; number < 1_002; number++) {
            say(ATTACKER, announce(number));
        }

        assertThat(count(Announce.class) - before).as("in a second, to a listener and a neighbour").isBetween(2L, 2 * 10L);
    }

    @Test
    void whatOneHostMakesANodeRememberIsBoundedAndLeavesRoomForOthers() {
        sayHonestly(at("10.1.1.1", 4000), announce(1));
        for (int port = 1; port <= 5_000; port++) {
            InetSocketAddress from = at("10.9.9.9", port);
            sayHonestly(from, join("name " + port));
            sayHonestly(from, new Listen(Tree.GROUP));
            now -= 4 * MILLI;
        }
        assertThat(node.remembered()).as("proofs, listeners and joins").isLessThan(3_000);

        InetSocketAddress honest = at("10.1.2.1", 4000);
        sent.clear();
        sayHonestly(honest, new Listen(Tree.GROUP));
        sayHonestly(honest, join("honest"));
        assertThat(sent).anyMatch(each -> each.to().equals(honest) && each.message() instanceof Announce);
        assertThat(sent).anyMatch(each -> each.message() instanceof Join named && named.name().equals("honest"));
    }

    /** Whatever is said in whoever's name, in any order. */
    @Test
    void noSequenceOfLiesBringsAnybodyMoreThanThreeTimesWhatCameFromIt() {
        for (int seed = 0; seed < 300; seed++) {
            new ANodeAmplifiesNothingTest().liesOf(new Random(seed));
        }
    }

    private void liesOf(Random random) {
        sayHonestly(ATTACKER, announce(1));
        for (int i = 0; i < 300; i++) {
            InetSocketAddress from = random.nextInt(4) == 0 ? ATTACKER : victim(1 + random.nextInt(5));
            String name = "name " + random.nextInt(4);
            long session = random.nextInt(5) == 0 ? 77 : SESSION;
            say(from, switch (random.nextInt(14)) {
                case 0 -> announce(2 + i);
                case 1 -> new Listen(Tree.GROUP);
                case 2 -> new Listen(null);
                case 3, 4 -> join(name);
                case 5 -> new Join(session, name, 1, random.nextBoolean(), random.nextBoolean(), SessionKey.NO_TAG);
                case 6 -> accept(name, random.nextInt(4));
                case 7 -> data(i);
                case 8 -> new Message.Nack(session, random.nextInt(3), Losses.of(i, 0));
                case 9 -> new Message.Leave(session, random.nextInt(3), 1);
                case 10 -> new Answer(random.nextBoolean() ? 0 : session, random.nextLong());
                case 11 -> new Challenge(random.nextBoolean() ? 0 : session, random.nextLong());
                case 12 -> random.nextInt(20) == 0 ? KEY.sign(new Message.Close(session, ErrorCode.NO_SESSION, SessionKey.NO_TAG))
                        : new Message.Rejoin(session);
                default -> new Message.Beat(session, i, i, 0, false, new byte[0], SessionKey.NO_TAG);
            });
            now += random.nextInt(3) == 0 ? SECOND / 2 : 0;
            node.onTimer(now);
            assertNoVictim();
        }
    }
}
