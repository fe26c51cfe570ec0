package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.stream.StageRig.payload;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.service.Marks;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.service.Level;
import org.tamanoir.service.Output;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** A service of the event loop in one direction: what its verdicts do, and what its failures cost. */
class HandlerStageTest {
    private final StageRig rig = new StageRig();
    private final TestService.Scripted handler = new TestService.Scripted();
    private RunningService service = TestService.middle(stream -> handler);
    private OpenHandler opened;
    private HandlerStage stage;
    private HandlerStage backStage;

    HandlerStageTest() {
        opens(service);
    }

    private void opens(RunningService one) {
        StageRig.Handling handling = rig.handle(one, handler);
        service = one;
        opened = handling.opened();
        stage = handling.forward();
        backStage = handling.back();
    }

    private void policy(FailurePolicy policy) {
        opens(TestService.of(StageRig.TYPE, "middle", Level.MIDDLE, policy, stream -> handler));
    }

    @AfterEach
    void nothingIsLeft() {
        opened.tasks().discard();
        rig.close();
    }

    private void fails() {
        handler.forward = (packet, out) -> {
            if (Recorder.text(packet).equals("bad")) {
                throw new IllegalStateException("a defect");
            }
            return Verdict.PASS;
        };
    }

    @Test
    void verdictsDecideWhatGoesOnAndWhatIsEmittedStandsWhereThePacketStood() {
        Verdict late = Verdict.drop("late");
        handler.forward = (packet, out) -> switch (Recorder.text(packet)) {
            case "drop" -> late;
            case "twice" -> {
                out.emit(packet);
                out.emit(packet);
                yield Verdict.TAKEN;
            }
            case "swap" -> {
                out.emitPayload(payload(out, "x"));
                yield Verdict.TAKEN;
            }
            case "before" -> {
                out.emitPayload(payload(out, "y"));
                yield Verdict.PASS;
            }
            default -> Verdict.PASS;
        };
        rig.send(stage, "a", "twice", "drop", "swap", "before", "b");
        assertThat(rig.taken.take()).containsExactly("a", "twice", "twice", "x", "y", "before", "b");
        assertThat(service.drops()).isEqualTo(Map.of("late", 1L));
        assertThat(rig.returned.take()).as("what goes back").isEmpty();
    }

    @Test
    void eachDirectionHasItsOwnCallsAndItsOwnWay() {
        rig.send(stage, "there");
        rig.send(backStage, "here");
        assertThat(handler.told).containsExactly("there", "<here");
        assertThat(rig.taken.take()).containsExactly("there");
        assertThat(rig.returned.take()).containsExactly("here");
    }

    @Test
    void errorPacketsTowardTheSourcePassUnseenAlsoWhereTheHandlerHasFailed() {
        rig.sendError(backStage);
        policy(FailurePolicy.DROP);
        fails();
        rig.send(stage, "bad");
        rig.sendError(backStage);
        rig.send(backStage, "lost");
        assertThat(handler.told).containsExactly("bad");
        assertThat(rig.returned.take()).containsExactly("error", "error");
    }

    /** Type ID 0 is no way past a service: not for payloads, not for many, and not in the direction in which no errors travel. */
    @Test
    void errorPacketsThatAreNoneAreDropped() {
        rig.sendError(stage);
        rig.lend(backStage, rig.buffer(Anep.TYPE_ERROR, null, "data"), 0);
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(rig.returned.packets()).isEmpty();
        for (int i = 0; i < 1000; i++) {
            rig.sendError(backStage);
        }
        assertThat(rig.returned.packets()).hasSizeBetween(1, 16);
        assertThat(handler.told).isEmpty();
    }

    @Test
    void aDefectEndsTheStreamInBothDirections() {
        fails();
        rig.send(stage, "a", "bad", "b");
        rig.send(backStage, "c");
        stage.end();
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
        assertThat(handler.told).containsExactly("a", "bad");
        assertThat(rig.taken.packets()).containsExactly("a");
        assertThat(rig.returned.packets()).isEmpty();
        assertThat(service.errors()).isEqualTo(1);
        assertThat(opened.tasks().execute((forward, back) -> { })).as("a task of a failed handler").isFalse();
    }

    @Test
    void whereTheServiceIsBypassedEverythingGoesOnWithoutItEvenThePacketInHand() {
        policy(FailurePolicy.BYPASS);
        fails();
        rig.send(stage, "a", "bad", "b");
        rig.send(backStage, "c");
        stage.end();
        backStage.end();
        assertThat(handler.told).containsExactly("a", "bad");
        assertThat(rig.taken.packets()).containsExactly("a", "bad", "b", "end");
        assertThat(rig.returned.packets()).containsExactly("c", "end");
    }

    @Test
    void whereItsPacketsAreDroppedTheyAreCountedAndTheEndGoesOn() {
        policy(FailurePolicy.DROP);
        fails();
        rig.send(stage, "a", "bad", "b");
        stage.end();
        assertThat(rig.taken.packets()).containsExactly("a", "end");
        assertThat(service.drops()).isEqualTo(Map.of("service-failed", 2L));
    }

    /** A code of the service's own choice is the packet's fault: no policy keeps the stream alive, and the circuit does not open. */
    @ParameterizedTest
    @EnumSource(FailurePolicy.class)
    void whatAServiceRefusesEndsTheStreamWithItsCodeAndIsNoDefect(FailurePolicy policy) {
        policy(policy);
        List<AnepException> defects = new ArrayList<>();
        service.watchedBy((which, why) -> defects.add(why), which -> { });
        handler.forward = (packet, out) -> {
            throw new AnepException(ErrorCode.BAD_CONTENT, "not compressed");
        };
        rig.send(stage, "a", "b");
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.BAD_CONTENT);
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(defects).isEmpty();
        assertThat(handler.told).containsExactly("a");
    }

    @Test
    void noVerdictIsADefect() {
        handler.forward = (packet, out) -> null;
        rig.send(stage, "a");
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
    }

    @Test
    void badOptionsEndTheStreamBeforeTheHandlerSeesThemAndAreNotItsFault() {
        ByteBuf bad = rig.given(Unpooled.buffer());
        // A header of three words whose one option says that it is longer than the header.
        bad.writeLong(0x01005501_0003000CL).writeShort(1).writeShort(9);
        rig.lend(stage, bad, 0);
        rig.send(stage, "b");
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.BAD_OPTION_LENGTH);
        assertThat(handler.told).isEmpty();
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(service.errors()).isZero();
    }

    @Test
    void whatIsEmittedBeforeADefectHasGoneOnAndNothingComesTwice() {
        policy(FailurePolicy.BYPASS);
        handler.forward = (packet, out) -> {
            out.emitPayload(payload(out, "half"));
            throw new IllegalStateException("a defect");
        };
        rig.send(stage, "a", "b");
        assertThat(rig.taken.packets()).containsExactly("half", "a", "b");
    }

    /** A stage of a service that has 20 ms for a call. */
    private HandlerStage impatient(ServiceWatch watch) {
        ServicePolicy impatient = ServicePolicy.preset(FailurePolicy.RESTART, Duration.ofMillis(20));
        RunningService slow = TestService.of(StageRig.TYPE, "slow", Level.MIDDLE, impatient, stream -> handler);
        return new HandlerStage(rig.open(slow, handler), false, StageRig.info(Transport.TCP, StageRig.TYPE), rig.taken, rig.flow, rig.memory, watch.ofThisThread());
    }

    @Test
    void aHandlerThatDoesNotReturnIsStoppedAndItsThreadIsFitForTheNext() {
        try (ServiceWatch watch = new ServiceWatch(Duration.ofMillis(20))) {
            handler.forward = (packet, out) -> {
                new CountDownLatch(1).await();
                return Verdict.PASS;
            };
            rig.send(impatient(watch), "a");
            assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_TIMEOUT);
            assertThat(Thread.interrupted()).as("the thread stays interrupted").isFalse();
            assertThat(rig.taken.packets()).isEmpty();
            Marks.assertBalanced(watch);
        }
    }

    @Test
    void anEndThatTakesTooLongEndsTheStreamAlsoIfTheHandlerSwallowsWhatStopsIt() {
        try (ServiceWatch watch = new ServiceWatch(Duration.ofMillis(20))) {
            handler.end = out -> {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    // It goes on as if nothing had happened.
                }
            };
            impatient(watch).end();
            assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_TIMEOUT);
            assertThat(rig.taken.packets()).isEmpty();
            assertThat(Thread.interrupted()).as("the thread stays interrupted").isFalse();
            Marks.assertBalanced(watch);
        }
    }

    @Test
    void packetsAreCountedOnceAtTheFlushAndFlushesGoOn() {
        rig.send(stage, "a", "b");
        assertThat(service.packets()).isZero();
        stage.flush();
        stage.flush();
        assertThat(service.packets()).isEqualTo(2);
        assertThat(rig.taken.take()).containsExactly("a", "b", "flush", "flush");
    }

    @Test
    void theCodePointOfTheHandlerGoesBeforeTheOneThatThePacketCameWith() {
        rig.lend(stage, rig.buffer(StageRig.TYPE, null, "came"), 8);
        handler.forward = (packet, out) -> {
            out.mark(Recorder.text(packet).equals("off") ? -1 : 46);
            return Verdict.PASS;
        };
        rig.lend(stage, rig.buffer(StageRig.TYPE, null, "own"), 8);
        rig.lend(stage, rig.buffer(StageRig.TYPE, null, "off"), 8);
        assertThat(rig.taken.packets()).containsExactly("came@8", "own@46", "off@8");
        stage.mark(10);
        assertThat(rig.taken.take()).containsExactly("mark 10");
    }

    @Test
    void whatAHandlerKeepsCountsUntilItGivesItBackAndNotBeyondItsLimit() {
        opens(TestService.of(StageRig.TYPE, "keeper", Level.MIDDLE, TestService.holding(FailurePolicy.RESTART, 30), stream -> handler));
        List<Packet> kept = new ArrayList<>();
        handler.forward = (packet, out) -> {
            kept.add(packet.retain());
            return Verdict.TAKEN;
        };
        rig.send(stage, "0123456789");
        assertThat(service.heldBytes()).isEqualTo(18);
        rig.send(stage, "0123456789");
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_LIMIT);
        assertThat(kept).hasSize(1);
        kept.forEach(Packet::release);
        assertThat(service.heldBytes()).isZero();
    }

    // The end of a direction.

    @Test
    void theEndGoesOnOnceBehindWhatTheHandlerStillOwes() {
        handler.end = out -> out.emitPayload(payload(out, "owed"));
        rig.send(stage, "a");
        stage.end();
        assertThat(rig.taken.take()).containsExactly("a", "owed", "flush", "end");
        opened.tasks().execute((forward, back) -> { });
        rig.run();
        assertThat(rig.taken.packets()).as("a task after the end").isEmpty();
    }

    @Test
    void anEndThatIsHeldWaitsForTheTaskThatReleasesIt() {
        handler.end = Output::holdEnd;
        stage.end();
        backStage.end();
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(rig.returned.packets()).as("the other direction").containsExactly("end");
        opened.tasks().execute((forward, back) -> forward.emitPayload(payload(forward, "late")));
        opened.tasks().later(Duration.ofMillis(100), (forward, back) -> {
            forward.emitPayload(payload(forward, "last"));
            forward.releaseEnd();
        });
        rig.run();
        assertThat(rig.taken.packets()).containsExactly("late");
        rig.pass(99);
        assertThat(rig.taken.packets()).isEmpty();
        rig.pass(1);
        assertThat(rig.taken.packets()).containsExactly("last", "end");
        assertThat(rig.returned.packets()).isEmpty();
    }

    @Test
    void nothingIsEmittedBehindTheEndAndNobodyHoldsItLater() {
        rig.send(stage, "a");
        stage.end();
        List<Throwable> thrown = new ArrayList<>();
        opened.tasks().execute((forward, back) -> {
            thrown.add(org.assertj.core.api.Assertions.catchThrowable(forward::holdEnd));
            forward.emitPayload(payload(forward, "too late"));
        });
        rig.run();
        assertThat(thrown.get(0)).isInstanceOf(IllegalStateException.class);
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_BAD_OUTPUT);
        assertThat(rig.taken.packets()).containsExactly("a", "end");
    }

    /** A handler that fails while it keeps back an end would keep it back for ever. */
    @Test
    void anEndThatAFailedHandlerHoldsGoesOnWhereTheServiceIsBypassed() {
        policy(FailurePolicy.BYPASS);
        handler.end = Output::holdEnd;
        stage.end();
        opened.tasks().execute((forward, back) -> {
            throw new IllegalStateException("a defect");
        });
        rig.run();
        assertThat(rig.taken.packets()).containsExactly("end");
        assertThat(rig.returned.packets()).as("the other direction goes on").isEmpty();
        backStage.end();
        assertThat(rig.returned.packets()).containsExactly("end");
    }

    @Test
    void aDefectAtTheEndCostsTheStreamOrNothing() {
        handler.end = out -> {
            throw new IllegalStateException("a defect");
        };
        stage.end();
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
        assertThat(rig.taken.packets()).isEmpty();
        policy(FailurePolicy.BYPASS);
        stage.end();
        assertThat(rig.taken.packets()).containsExactly("end");
    }

    // Tasks.

    @Test
    void aTaskEmitsInBothDirectionsInFrontOfThePacketsThatComeNext() {
        rig.flow.codePoint = 12;
        opened.tasks().execute((forward, back) -> {
            forward.emitPayload(payload(forward, "there"));
            back.emitPayload(payload(back, "here"));
            back.mark(20);
        });
        rig.run();
        rig.send(stage, "next");
        assertThat(rig.taken.take()).containsExactly("there@12", "flush", "next");
        assertThat(rig.returned.take()).as("what waits gets the mark too").containsExactly("here", "flush", "mark 20");
    }

    @Test
    void aTaskThatFailsEndsTheStreamAndThoseBehindItDoNotRun() {
        List<String> ran = new ArrayList<>();
        opened.tasks().execute((forward, back) -> {
            throw new IllegalStateException("a defect");
        });
        opened.tasks().execute((forward, back) -> ran.add("second"));
        rig.run();
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
        assertThat(ran).isEmpty();
    }

    /** Wrong: an author who sees that something failed and not where. */
    @Test
    void theLogSaysWhereAHandlerFailed() {
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        Logger log = (Logger) LoggerFactory.getLogger(HandlerStage.class);
        log.addAppender(said);
        log.setLevel(ch.qos.logback.classic.Level.WARN);
        log.setAdditive(false);
        try {
            fails();
            rig.send(stage, "bad");
        } finally {
            log.detachAppender(said);
            log.setLevel(null);
            log.setAdditive(true);
        }
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
        assertThat(said.list).hasSize(1);
        assertThat(said.list.get(0).getThrowableProxy().getStackTraceElementProxyArray()[0].getSTEAsString()).contains("HandlerStageTest");
    }

    /** Wrong: a clock that is read for each packet, or the same turn each time of a stream. */
    @Test
    void oneReadIn64HasTheTimeOfItsFirstCallTaken() {
        for (int i = 0; i < 640; i++) {
            rig.send(stage, "one", "two", "three");
            stage.flush();
        }
        HistogramSnapshot calls = (HistogramSnapshot) rig.watch.calls().collector().collect();
        assertThat(calls.getDataPoints()).singleElement().satisfies(point -> {
            assertThat(point.getLabels().get("service")).isEqualTo("middle");
            assertThat(point.getCount()).isEqualTo(10);
        });
    }
}
