package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.Level;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;

/** A heavy service whose threads run when the test says so: every order of its steps and those of the loop. */
@Tag("seeded")
class HeavyStageByHandTest {
    private static final int MB = 1 << 20;

    private final StageRig rig = new StageRig(256 * MB);
    private final TestService.Scripted handler = new TestService.Scripted();
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private boolean ended;
    private RunningService service;
    private OpenHandler opened;
    private HeavyStage stage;
    private HeavyStage back;

    HeavyStageByHandTest() {
        policy(FailurePolicy.RESTART);
    }

    private void policy(FailurePolicy policy) {
        if (stage != null) {
            nothingWaits();
        }
        service = TestService.of(StageRig.TYPE, "heavy", Level.HEAVY, policy, stream -> handler);
        opened = rig.open(service, handler);
        SerialQueue queue = new SerialQueue(task -> {
            if (ended) {
                throw new RejectedExecutionException("ended");
            }
            threads.add(task);
        });
        stage = new HeavyStage(opened, false, StageRig.info(Transport.TCP, StageRig.TYPE), rig.loop, queue, rig.taken, null, rig.flow, rig.memory, rig.watch);
        back = new HeavyStage(opened, true, StageRig.info(Transport.TCP, StageRig.TYPE), rig.loop, queue, rig.returned, null, rig.flowBack, rig.memory, rig.watch);
        HeavyStage first = stage;
        HeavyStage second = back;
        opened.tasks().runOn(task -> first.task(task, second));
    }

    private void nothingWaits() {
        stage.abandon();
        back.abandon();
        ended = false;
        runAll();
        opened.tasks().stop();
        opened.tasks().discard();
        assertThat(service.queuedBytes()).as("octets that wait for the threads").isZero();
        service.threads().shutdownNow();
    }

    @AfterEach
    void nothingIsLeft() {
        nothingWaits();
        rig.close();
    }

    /** The threads and the loop do what there is to do. */
    private void runAll() {
        do {
            while (!threads.isEmpty()) {
                threads.poll().run();
            }
            rig.run();
        } while (!threads.isEmpty());
    }

    private static String numbered(int number, int length) {
        return number + ":" + "x".repeat(length);
    }

    /** Seeded: packets of all sizes, a receiver that takes now and then, threads that come late. Everything arrives in order, the end last. */
    @Test
    void orderHoldsWhateverRunsFirst() {
        for (int seed = 0; seed < 30; seed++) {
            Random random = new Random(seed);
            policy(FailurePolicy.RESTART);
            List<String> sent = new ArrayList<>();
            while (sent.size() < 60) {
                switch (random.nextInt(6)) {
                    case 0, 1 -> {
                        sent.add(numbered(sent.size(), random.nextInt(60_000)));
                        rig.send(stage, sent.get(sent.size() - 1));
                        stage.flush();
                    }
                    case 2 -> {
                        if (!threads.isEmpty()) {
                            threads.poll().run();
                        }
                    }
                    case 3 -> rig.run();
                    case 4 -> rig.flow.drained = false;
                    default -> rig.flow.drain();
                }
            }
            stage.end();
            runAll();
            rig.flow.drain();
            runAll();
            sent.add("end");
            assertThat(rig.taken.packets()).as("seed %d", seed).containsExactlyElementsOf(sent);
            assertThat(rig.flow.busy).isZero();
            assertThat(rig.memory.retained()).isZero();
        }
    }

    @Test
    void whatIsUnderWayIsBoundedAndTheSourceGoesOnBelowHalf() {
        int sent = 0;
        while (rig.flow.busy == 0) {
            rig.send(stage, numbered(sent++, 60_000));
            stage.flush();
        }
        assertThat(sent * 60_000).isBetween(MB, MB + 120_000);
        long before = service.queuedBytes();
        threads.poll().run();
        rig.run();
        assertThat(service.queuedBytes()).isLessThan(before);
        assertThat(rig.flow.busy).as("after one batch").isEqualTo(1);
        runAll();
        assertThat(rig.flow.busy).isZero();
        assertThat(rig.taken.packets()).hasSize(sent);
    }

    @Test
    void anEndWaitsForAReceiverThatIsFull() {
        handler.forward = (packet, out) -> {
            for (int i = 0; i < 100; i++) {
                out.emit(packet);
            }
            return Verdict.TAKEN;
        };
        rig.flow.drained = false;
        for (int i = 0; i < 5; i++) {
            rig.send(stage, numbered(i, 50_000));
            stage.flush();
        }
        stage.end();
        runAll();
        assertThat(rig.taken.take()).as("what was made before it had to wait").hasSizeLessThan(300).doesNotContain("end");
        for (int i = 0; i < 20; i++) {
            rig.flow.drain();
            runAll();
        }
        assertThat(rig.taken.packets()).endsWith("end");
        assertThat(handler.told).endsWith("end");
    }

    @Test
    void aFailureOnTheThreadsEndsTheStreamOrTheServicesPartInIt() {
        handler.forward = (packet, out) -> {
            throw new IllegalStateException("a defect");
        };
        rig.send(stage, "a", "b");
        stage.end();
        runAll();
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.SERVICE_ERROR);
        assertThat(rig.taken.packets()).isEmpty();
        policy(FailurePolicy.BYPASS);
        rig.send(stage, "a", "b");
        stage.end();
        runAll();
        assertThat(rig.taken.packets()).containsExactly("a", "b", "end");
    }

    @Test
    void packetsLeaveWithTheCodePointThatTheyCameWith() {
        for (int codePoint : new int[] {0, 8, 8, 46}) {
            rig.lend(stage, rig.buffer(StageRig.TYPE, null, "of " + codePoint), codePoint);
        }
        stage.flush();
        runAll();
        assertThat(rig.taken.packets()).containsExactly("of 0", "of 8@8", "of 8@8", "of 46@46");
    }

    @Test
    void aTaskRunsBehindThePacketsThatWaitAndEmitsInBothDirections() {
        rig.flow.codePoint = 12;
        rig.send(stage, "before");
        stage.flush();
        opened.tasks().execute((forward, backward) -> {
            forward.emitPayload(rig.given(forward.allocator().buffer().writeBytes("there".getBytes())));
            backward.emitPayload(rig.given(backward.allocator().buffer().writeBytes("here".getBytes())));
        });
        rig.send(stage, "behind");
        stage.flush();
        runAll();
        rig.flow.drain();
        rig.flowBack.drain();
        runAll();
        assertThat(rig.taken.packets()).containsExactly("before", "there@12", "behind");
        assertThat(rig.returned.packets()).containsExactly("here");
    }

    /** Tasks come whether or not packets do: what they make is bounded by the receiver all the same. */
    @Test
    void tasksThatMakeMuchWaitForTheReceiverToo() {
        rig.flow.drained = false;
        for (int i = 0; i < 200; i++) {
            opened.tasks().execute((forward, backward) -> forward.emitPayload(forward.allocator().buffer(60_000).writeZero(60_000)));
        }
        runAll();
        assertThat(rig.taken.packets()).as("what was made without room").hasSizeLessThan(20);
        for (int i = 0; i < 200; i++) {
            rig.flow.drain();
            runAll();
        }
        assertThat(rig.taken.packets()).isNotEmpty();
        assertThat(rig.taken.octetsInAll).isEqualTo(200 * 60_008L);
    }

    @Test
    void whereTheThreadsHaveEndedTheStreamEndsAndNothingStays() {
        rig.send(stage, "a");
        ended = true;
        stage.flush();
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.STOPPING);
        assertThat(service.queuedBytes()).isZero();
    }

    /** The stream is gone while packets wait for the threads, are in the handler's hands, or on their way back. */
    @Test
    void whatIsUnderWayWhenTheStreamGoesIsThrownAway() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            policy(FailurePolicy.RESTART);
            for (int i = 0; i < 20; i++) {
                rig.send(stage, numbered(i, random.nextInt(60_000)));
                if (random.nextBoolean()) {
                    stage.flush();
                }
                if (random.nextBoolean() && !threads.isEmpty()) {
                    threads.poll().run();
                }
                if (random.nextInt(4) == 0) {
                    rig.run();
                }
            }
            stage.abandon();
            rig.taken.take();
            runAll();
            assertThat(rig.taken.packets()).as("what comes after it is gone, seed %d", seed).isEmpty();
            assertThat(rig.memory.retained()).isZero();
            assertThat(service.queuedBytes()).isZero();
        }
    }
}
