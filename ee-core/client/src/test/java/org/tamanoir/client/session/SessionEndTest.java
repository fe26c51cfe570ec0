package org.tamanoir.client.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tamanoir.client.session.SessionSimulation.MILLI;
import static org.tamanoir.client.session.SessionSimulation.SECOND;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Crc32c;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.State;
import org.tamanoir.anep.SessionMessage.Welcome;
import org.tamanoir.client.session.SessionSimulation.Chain;
import org.tamanoir.client.session.SessionSimulation.Death;

/** What a session promises whatever happens to the chains under it: never an octet twice or missing at an application, and no success before its time. */
class SessionEndTest {
    private static byte[] octets(Random random, int most) {
        byte[] octets = new byte[random.nextInt(most)];
        random.nextBytes(octets);
        return octets;
    }

    private static SessionSimulation started(long seed, long most, int octets) {
        SessionSimulation simulation = new SessionSimulation(seed, most);
        simulation.knowing = seed % 2 != 0;
        simulation.opener.toWrite = octets(simulation.random, octets);
        simulation.acceptor.toWrite = octets(simulation.random, octets);
        simulation.opener.write();
        return simulation;
    }

    /** Chains die in every way, at any time, again and again; then they live. Half of them have a service that has to know how many octets it has seen. */
    @Property(tries = 600)
    void everythingArrivesOnceAndInOrderHoweverChainsDie(@ForAll long seed) {
        Random random = new Random(seed);
        SessionSimulation simulation = started(seed, random.nextBoolean() ? 1 << 16 : 1 << 20, 400_000);
        simulation.opener.keepsAfter = random.nextInt(3) == 0 ? random.nextLong(300 * MILLI) : 0;
        simulation.acceptor.keepsAfter = random.nextInt(3) == 0 ? random.nextLong(300 * MILLI) : 0;
        int deaths = random.nextInt(12);
        for (int i = deaths; i > 0; i--) {
            simulation.run(random.nextLong(3 * SECOND));
            Chain chain = simulation.chain();
            if (chain != null) {
                chain.die(Death.values()[random.nextInt(Death.values().length)]);
            }
            simulation.check();
            assertThat(simulation.opener.everythingKept).as("success before its time").isIn(false, simulation.acceptor.gotEnd);
            assertThat(simulation.acceptor.everythingKept).as("success before its time").isIn(false, simulation.opener.gotEnd);
        }
        simulation.run(200 * SECOND);
        simulation.check();
        assertThat(simulation.opener.failed).isNull();
        assertThat(simulation.acceptor.failed).isNull();
        assertThat(simulation.opener.done && simulation.acceptor.done).as("both are done").isTrue();
        assertThat(simulation.acceptor.forgotten).as("nobody waits for a time-out").isIn(true, deaths == 0);
        assertThat(simulation.opener.everythingKept && simulation.acceptor.everythingKept).isTrue();
        assertThat(simulation.acceptor.got.toByteArray()).isEqualTo(simulation.opener.toWrite);
        assertThat(simulation.opener.got.toByteArray()).isEqualTo(simulation.acceptor.toWrite);
        assertThat(simulation.budget.used()).as("memory that is left").isZero();
        assertThat(simulation.opener.end.losses().sentAgain()).as("octets sent twice").isLessThanOrEqualTo(simulation.opener.end.losses().resumptions() * simulation.most);
    }

    /** The stall that a user sees: one round trip when somebody says so, the time of silence and one more when nobody does. */
    @ParameterizedTest
    @EnumSource(names = "PAUSE", mode = EnumSource.Mode.EXCLUDE)
    void aChainThatDiesStallsTheSessionForAShortTime(Death how) {
        SessionSimulation simulation = started(5, 1 << 20, 8_000_000);
        simulation.delay = 10 * MILLI;
        simulation.run(SECOND);
        int before = simulation.legs;
        simulation.chain().die(how);
        simulation.run(8 * SECOND);
        assertThat(simulation.legs).isGreaterThan(before);
        assertThat(simulation.opener.end.losses().resumptions()).isEqualTo(1);
        assertThat(simulation.opener.end.losses().stalled() / (double) SECOND).isLessThan(how == Death.RESET ? 0.3 : 7.5);
        simulation.run(100 * SECOND);
        simulation.check();
        assertThat(simulation.opener.done).isTrue();
    }

    /** Wrong: an end that takes the death of a chain for the end of the session, and so forgets it, or is done, while the other one does not know yet. */
    @ParameterizedTest
    @EnumSource
    void theMomentOfADeathMakesNoFailureOfASuccess(Death how) {
        for (long moment = 0; moment < 400; moment += 2) {
            SessionSimulation simulation = started(moment, 1 << 20, 20_000);
            simulation.delay = 10 * MILLI;
            simulation.run(moment * MILLI);
            simulation.chain().die(how);
            simulation.run(how == Death.RESET ? 3 * SECOND : 100 * SECOND);
            simulation.check();
            assertThat(simulation.opener.failed).as("after %d ms", moment).isNull();
            assertThat(simulation.acceptor.failed).as("after %d ms", moment).isNull();
            assertThat(simulation.opener.done && simulation.acceptor.done).as("after %d ms", moment).isTrue();
        }
    }

    @Test
    void aSessionWithoutALegEndsWhenItsTimeIsOverAndNotBefore() {
        SessionSimulation simulation = started(6, 1 << 20, 8_000_000);
        simulation.run(SECOND);
        long died = simulation.now;
        while (simulation.now < died + SessionSimulation.WINDOW - SECOND) {
            simulation.chain().die(Death.SILENCE);
            simulation.run(10 * MILLI);
            assertThat(simulation.opener.failed).isNull();
        }
        for (int i = 0; i < 1_500; i++) {
            simulation.chain().die(Death.SILENCE);
            simulation.run(10 * MILLI);
        }
        assertThat(simulation.opener.failed).isEqualTo(ErrorCode.SESSION_LOST);
        assertThat(simulation.acceptor.failed).isEqualTo(ErrorCode.SESSION_LOST);
        assertThat(simulation.budget.used()).isZero();
        simulation.check();
    }

    /** A chain whose services are others cannot go on; the session waits for one that can, and ends if none comes in its time. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatServicesKnowGoesOnlyToTheSameServices(boolean backInTime) {
        SessionSimulation simulation = started(9, 1 << 20, 8_000_000);
        simulation.run(SECOND);
        simulation.service = "count 2";
        simulation.chain().die(Death.RESET);
        simulation.run(20 * SECOND);
        assertThat(simulation.opener.failed).isNull();
        assertThat(simulation.opener.end.losses().resumptions()).isZero();
        simulation.service = backInTime ? "count 1" : "count 2";
        simulation.run(200 * SECOND);
        simulation.check();
        assertThat(simulation.opener.failed).isEqualTo(backInTime ? null : ErrorCode.SESSION_LOST);
        assertThat(simulation.opener.done && simulation.acceptor.done).isEqualTo(backInTime);
    }

    @Test
    void aDestinationThatCameBackEmptyIsNoticedAndNothingIsSentToItAgain() {
        SessionSimulation simulation = started(7, 1 << 20, 8_000_000);
        simulation.run(SECOND);
        int got = simulation.acceptor.got.size();
        simulation.forget();
        simulation.chain().die(Death.RESET);
        simulation.run(5 * SECOND);
        assertThat(simulation.opener.failed).isEqualTo(ErrorCode.SESSION_UNKNOWN);
        assertThat(simulation.acceptor.got.size()).isEqualTo(got).isPositive();
    }

    @Test
    void aWriterWaitsForARingThatIsFullAndOthersAreNotHeldUp() {
        int chunk = 60_000;
        RingBudget budget = new RingBudget(4 * chunk);
        OctetRing greedy = new OctetRing(1 << 30, budget);
        OctetRing modest = new OctetRing(1 << 30, budget);
        int taken = 0;
        for (int more = 1; more > 0; taken += more) {
            more = greedy.write(Unpooled.buffer(chunk).writerIndex(chunk));
        }
        assertThat(taken).as("as much as it leaves for others").isEqualTo(2 * chunk);
        assertThat(modest.write(Unpooled.buffer(chunk).writerIndex(chunk))).as("each has a buffer of its own").isEqualTo(chunk);
        assertThat(modest.write(Unpooled.buffer(chunk).writerIndex(chunk))).isZero();
        while (greedy.sent() < greedy.written()) {
            greedy.send(1 << 30).release();
        }
        greedy.mark();
        greedy.acknowledge(greedy.sent());
        assertThat(greedy.memory()).isZero();
        assertThat(modest.write(Unpooled.buffer(chunk).writerIndex(chunk))).isEqualTo(chunk);
        modest.release();
        greedy.release();
        assertThat(budget.used()).isZero();
        OctetRing narrow = new OctetRing(100_000, budget);
        assertThat(narrow.write(Unpooled.buffer(1_000_000).writerIndex(1_000_000))).isEqualTo(100_000);
        narrow.release();
    }

    /** A ring that has less memory than its marks are apart would move a few buffers in the time of a mark. */
    @Test
    void aFullRingAsksForAnAnswerOnceAndDoesNotWaitForTheTime() {
        RingBudget budget = new RingBudget(1 << 18);
        SessionEnd end = SessionEnd.acceptor(0, resume(1, 0, 0), 16 << 20, budget, SessionSimulation.WINDOW, ears, new Random(1));
        end.resume(0, resume(1, 0, 0));
        end.answered(0);
        ears.heard.setLength(0);
        ByteBuf more = Unpooled.buffer(60_000).writerIndex(60_000);
        int written = 0;
        for (int taken = 1; taken > 0; written += taken) {
            taken = end.write(0, more.slice());
        }
        assertThat(written).isBetween(60_000, 1 << 18);
        assertThat(ears.heard.toString().split("mark", -1)).as("one mark in %s", ears.heard).hasSize(2);
    }

    // What an end does not believe.

    private final Ears ears = new Ears();

    private static Resume resume(int epoch, long received, int checksum) {
        return new Resume(7, 11, 13, epoch, epoch == 1, received, checksum);
    }

    private SessionEnd acceptor() {
        SessionEnd end = SessionEnd.acceptor(0, resume(1, 0, 0), 1 << 20, new RingBudget(1 << 20), SessionSimulation.WINDOW, ears, new Random(1));
        assertThat(end.resume(0, resume(1, 0, 0))).isEqualTo(new Welcome(0, 0));
        end.answered(0);
        return end;
    }

    private static void refuses(SessionEnd end, Resume resume, ErrorCode why) {
        assertThatThrownBy(() -> end.resume(1, resume)).isInstanceOfSatisfying(AnepException.class, refused -> assertThat(refused.code()).isEqualTo(why));
    }

    @Test
    void aLegHasItsTimeFromWhenItIsItsTurn() {
        SessionEnd end = SessionEnd.opener(0, 7, 11, 13, 1 << 20, new RingBudget(1 << 20), SessionSimulation.WINDOW, ears, new Random(1));
        end.onTimer(0);
        long turn = 3 * SessionEnd.SILENCE;
        end.onTimer(turn);
        assertThat(ears.heard).hasToString("open 1 ");
        assertThat(end.opening(turn).epoch()).isEqualTo(1);
        assertThat(end.deadline()).isEqualTo(turn + SessionEnd.SILENCE);
        end.onTimer(turn + SessionEnd.SILENCE - 1);
        assertThat(ears.heard).hasToString("open 1 ");
        end.onTimer(turn + SessionEnd.SILENCE);
        end.onTimer(end.deadline());
        assertThat(ears.heard).hasToString("open 1 reset open 2 ");
    }

    /** Where a thousand legs are opened at once on a machine that is too slow, giving one up after 5 s makes the others slower still. */
    @Test
    void aLegHasLongerAfterOthersThatBroughtNothing() {
        SessionEnd end = SessionEnd.opener(0, 7, 11, 13, 1 << 20, new RingBudget(1 << 20), 4 * SessionSimulation.WINDOW, ears, new Random(1));
        List<Long> patience = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            long opened = end.deadline() == Long.MAX_VALUE ? 0 : end.deadline();
            end.onTimer(opened);
            end.opening(opened);
            patience.add((end.deadline() - opened) / 100_000_000);
            end.onTimer(end.deadline());
        }
        assertThat(patience).as("tenths of a second").containsExactly(50L, 50L, 50L, 64L, 128L, 160L, 160L);
    }

    @Test
    void onlyWhoOpenedASessionResumesItAndOnlyWithALaterEpoch() {
        SessionEnd end = acceptor();
        end.octets(0, 1, Unpooled.wrappedBuffer(new byte[100]));
        refuses(end, new Resume(7, 11, 14, 2, false, 0, 0), ErrorCode.SESSION_FOREIGN);
        refuses(end, new Resume(7, 10, 13, 2, false, 0, 0), ErrorCode.SESSION_FOREIGN);
        refuses(end, resume(2, 0, 0).boundTo("mallory"), ErrorCode.SESSION_FOREIGN);
        refuses(end, resume(1, 0, 0), ErrorCode.SESSION_SUPERSEDED);
        refuses(end, resume(0, 0, 0), ErrorCode.SESSION_SUPERSEDED);
        refuses(end, resume(2, 1, 0), ErrorCode.SESSION_DIFFERS);
        refuses(end, resume(2, -1, 0), ErrorCode.SESSION_DIFFERS);
        refuses(end, resume(2, 0, 1), ErrorCode.SESSION_DIFFERS);
        end.octets(2, 1, Unpooled.wrappedBuffer(new byte[50]));
        assertThat(end.received()).as("the session is as it was").isEqualTo(150);
        assertThat(end.resume(3, resume(5, 0, 0)).received()).isEqualTo(150);
        assertThat(ears.heard).as("the leg before is shut first").endsWith("reset ");
        end.answered(3);
        end.octets(4, 1, Unpooled.wrappedBuffer(new byte[50]));
        assertThat(end.received()).as("what comes late of the leg before").isEqualTo(150);
        refuses(end, resume(5, 0, 0), ErrorCode.SESSION_SUPERSEDED);
        refuses(end, resume(4, 0, 0), ErrorCode.SESSION_SUPERSEDED);
    }

    @Test
    void aSessionThatIsNotKnownBeginsOnlyIfNothingOfItWasEverSent() {
        assertThatThrownBy(() -> SessionEnd.acceptor(0, resume(2, 0, 0), 1, new RingBudget(1), 1, ears, new Random(1)))
                .isInstanceOfSatisfying(AnepException.class, refused -> assertThat(refused.code()).isEqualTo(ErrorCode.SESSION_UNKNOWN));
    }

    /** What a mark says has to be so. */
    @Test
    void aMarkThatLiesEndsTheSession() {
        byte[] five = {1, 2, 3, 4, 5};
        int sum = Crc32c.append(0, ByteBuffer.wrap(five));
        Mark good = new Mark(5, sum, false, 0, false, null);
        for (Mark lie : new Mark[] {new Mark(4, sum, false, 0, false, null), new Mark(6, sum, false, 0, false, null), new Mark(5, sum + 1, false, 0, false, null),
                new Mark(5, sum, false, 1, false, null), new Mark(5, sum, false, -1, false, null), new Mark(5, sum, false, 0, true, null)}) {
            ears.heard.setLength(0);
            SessionEnd end = acceptor();
            end.octets(0, 1, Unpooled.wrappedBuffer(five));
            end.mark(0, 1, good);
            assertThat(end.isOver()).isFalse();
            end.mark(0, 1, lie);
            assertThat(ears.heard).as("%s", lie).endsWith(" EE-226 end EE-226 ");
            end.octets(0, 1, Unpooled.wrappedBuffer(five));
            assertThat(end.received()).isEqualTo(5);
        }
    }

    /** Wrong: a far end that is believed to be done with what this end has not kept, and an end that is forgotten before its opener knows. */
    @Test
    void theLastWordIsSaidWhenEverythingIsKeptAndAnswered() {
        SessionEnd early = acceptor();
        early.mark(0, 1, new Mark(0, 0, true, 0, false, true, null, List.of()));
        assertThat(ears.heard).endsWith(" EE-226 end EE-226 ");
        ears.heard.setLength(0);
        SessionEnd end = acceptor();
        end.end(0);
        end.octets(0, 1, Unpooled.wrappedBuffer(new byte[] {1}));
        int sum = Crc32c.append(0, ByteBuffer.wrap(new byte[] {1}));
        end.mark(0, 1, new Mark(1, sum, true, 0, true, null));
        assertThat(end.isOver()).as("the octet is not kept yet").isFalse();
        end.kept(1, 1);
        assertThat(end.isOver()).as("within what the application says").isFalse();
        assertThat(end.deadline()).as("and at once behind it").isEqualTo(1);
        end.onTimer(1);
        assertThat(ears.heard).endsWith("kept mark 0 done end done ");
        Resume again = resume(2, 0, 0);
        end.resume(2, again);
        end.answered(2);
        assertThat(ears.heard).as("whoever has not heard it").endsWith("done end done mark 0 done end ");
        end.mark(3, 1, new Mark(1, sum, true, 0, true, true, null, List.of()));
        assertThat(ears.heard).as("of another leg").doesNotContain("forgotten");
        end.mark(3, 2, new Mark(1, sum, true, 0, true, true, null, List.of()));
        assertThat(ears.heard).endsWith("forgotten ");
    }

    /** An end that is given what no service has taken does not go on, and neither does one whose service has said nothing in a mark. */
    @Test
    void whatServicesKnowIsNeitherLeftOverNorMissing() {
        List<State> states = List.of(new State("count 1", new byte[8]));
        SessionEnd end = acceptor();
        refuses(end, resume(2, 0, 0).with(states), ErrorCode.SESSION_STATE);
        end.mark(0, 1, new Mark(0, 0, false, 0, false, null).with(states));
        assertThat(ears.heard).endsWith("mark 0 EE-230 end EE-230 ");
        SessionEnd knowing = SessionEnd.acceptor(0, resume(1, 0, 0), 1 << 20, new RingBudget(1 << 20), SessionSimulation.WINDOW, ears, new Random(1));
        assertThat(knowing.resume(0, resume(1, 0, 0).with(states))).isEqualTo(new Welcome(0, 0));
        knowing.answered(0);
        byte[] five = {1, 2, 3, 4, 5};
        int sum = Crc32c.append(0, ByteBuffer.wrap(five));
        knowing.octets(0, 1, Unpooled.wrappedBuffer(five));
        knowing.kept(0, 5);
        Welcome before = knowing.resume(1, resume(2, 0, 0));
        assertThat(before.received()).as("behind the last mark").isZero();
        assertThat(before.states()).isEqualTo(states);
        knowing.answered(1);
        knowing.octets(1, 2, Unpooled.wrappedBuffer(five));
        assertThat(knowing.received()).as("what is here is not handed over again").isEqualTo(5);
        List<State> later = List.of(new State("count 1", new byte[] {5}));
        knowing.mark(1, 2, new Mark(5, sum, false, 0, false, null).with(later));
        Welcome after = knowing.resume(2, resume(3, 0, 0));
        assertThat(after).isEqualTo(new Welcome(5, sum, later));
        knowing.answered(2);
        knowing.mark(2, 3, new Mark(5, sum, false, 0, false, null));
        assertThat(ears.heard).endsWith("EE-230 end EE-230 ");
    }

    /** What comes again has to be what came. */
    @Test
    void octetsThatComeAgainAndAreOthersEndTheSession() {
        SessionEnd end = SessionEnd.acceptor(0, resume(1, 0, 0), 1 << 20, new RingBudget(1 << 20), SessionSimulation.WINDOW, ears, new Random(1));
        end.resume(0, resume(1, 0, 0).with(List.of(new State("count 1", new byte[0]))));
        end.answered(0);
        end.octets(0, 1, Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
        end.resume(1, resume(2, 0, 0));
        end.answered(1);
        end.octets(1, 2, Unpooled.wrappedBuffer(new byte[] {1, 2}));
        assertThat(end.isOver()).isFalse();
        end.octets(1, 2, Unpooled.wrappedBuffer(new byte[] {4, 5}));
        assertThat(ears.heard).endsWith("EE-226 end EE-226 ");
        assertThat(ears.heard.toString().split("deliver").length).as("nothing of it is handed over").isEqualTo(2);
    }

    @Test
    void nothingComesAfterAnEnd() {
        SessionEnd end = acceptor();
        end.mark(0, 1, new Mark(0, 0, true, 0, false, null));
        end.octets(0, 1, Unpooled.wrappedBuffer(new byte[1]));
        assertThat(ears.heard).endsWith("deliver-end mark 0 EE-226 end EE-226 ");
    }

    /** A clock that jumps ends nothing that a leg would not have survived: a machine that slept finds its far end, or opens another leg. */
    @Test
    void aClockThatJumpsCostsALegAtMost() {
        SessionSimulation simulation = started(8, 1 << 20, 8_000_000);
        simulation.run(SECOND);
        simulation.now += 30 * SECOND;
        simulation.run(300 * SECOND);
        simulation.check();
        assertThat(simulation.opener.failed).isNull();
        assertThat(simulation.opener.done && simulation.acceptor.done).isTrue();
    }

    /** Also beyond what 32 bits can count: x has the order 2^31 - 1 modulo this polynomial, and not 2^32 - 1 as in zlib's. */
    @Property(tries = 300)
    void octetsInSeveralPartsAreAsInOne(@ForAll int sum, @ForAll @LongRange(max = 1L << 40) long first, @ForAll @LongRange(max = 1L << 40) long second) {
        assertThat(Crc32c.combine(sum, 0, first + second)).isEqualTo(Crc32c.combine(Crc32c.combine(sum, 0, first), 0, second));
    }

    @Property(tries = 300)
    void aChecksumGoesOnWhereItWas(@ForAll byte[] octets, @ForAll long seed) {
        java.util.zip.CRC32C whole = new java.util.zip.CRC32C();
        whole.update(octets);
        int sum = 0;
        Random random = new Random(seed);
        for (int at = 0; at < octets.length;) {
            int count = 1 + random.nextInt(octets.length - at);
            sum = Crc32c.append(sum, ByteBuffer.wrap(octets, at, count));
            at += count;
        }
        assertThat(sum).isEqualTo((int) whole.getValue());
    }
}
