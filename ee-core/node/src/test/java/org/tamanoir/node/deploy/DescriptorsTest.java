package org.tamanoir.node.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Level;

class DescriptorsTest {
    private static final String PEER = "192.0.2.1";

    private final Queue<Runnable> work = new ArrayDeque<>();
    private final List<Integer> looked = new ArrayList<>();
    private AnepException failure;
    private long now;
    private final Descriptors descriptors = new Descriptors(typeId -> {
        looked.add(typeId);
        if (failure != null) {
            throw failure;
        }
        return new Descriptor(typeId, "fold", Level.HEAVY);
    }, new FairQueue(3, work::add), () -> Duration.ofSeconds(5), () -> now);

    private void run() {
        while (!work.isEmpty()) {
            work.poll().run();
        }
    }

    private static ErrorCode code(CompletableFuture<Descriptor> failed) {
        Throwable cause = failed.handle((found, why) -> why instanceof CompletionException ? why.getCause() : why).join();
        return ((AnepException) cause).code();
    }

    @Test
    void whoeverAsksWaitsForTheSameLookAndItIsRememberedForAMinute() {
        CompletableFuture<Descriptor> first = descriptors.of(1, PEER);
        CompletableFuture<Descriptor> second = descriptors.of(1, PEER);
        assertThat(first).isNotDone();
        assertThat(descriptors.known(1)).isNull();
        run();
        assertThat(first).isCompletedWithValue(new Descriptor(1, "fold", Level.HEAVY));
        assertThat(second).isCompleted();
        now = Descriptors.REMEMBERED.toNanos() - 1;
        assertThat(descriptors.of(1, PEER)).isCompleted();
        assertThat(descriptors.known(1)).isNotNull();
        assertThat(looked).containsExactly(1);
        now++;
        assertThat(descriptors.known(1)).isNull();
        assertThat(descriptors.of(1, PEER)).isNotDone();
        run();
        assertThat(looked).containsExactly(1, 1);
    }

    @Test
    void aFailureIsRememberedForAsLongAsOtherFailures() {
        failure = new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, "test");
        CompletableFuture<Descriptor> failed = descriptors.of(1, PEER);
        run();
        assertThat(code(failed)).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
        failure = null;
        now = Duration.ofSeconds(5).toNanos() - 1;
        assertThat(code(descriptors.of(1, PEER))).isEqualTo(ErrorCode.REPOSITORY_UNREACHABLE);
        assertThat(descriptors.known(1)).isNull();
        now++;
        CompletableFuture<Descriptor> again = descriptors.of(1, PEER);
        run();
        assertThat(again).isCompleted();
    }

    @Test
    void madeUpTypeIdsCostABoundedQueueAndBoundedMemory() {
        List<CompletableFuture<Descriptor>> asked = new ArrayList<>();
        for (int i = 0; i <= FairQueue.MOST_OF_ACCOUNT; i++) {
            asked.add(descriptors.of(i, PEER));
        }
        assertThat(asked).noneMatch(CompletableFuture::isDone);
        CompletableFuture<Descriptor> tooMany = descriptors.of(0xFFFF, PEER);
        assertThat(code(tooMany)).isEqualTo(ErrorCode.BUSY);
        assertThat(descriptors.of(0xFFFF, "192.0.2.2")).as("another peer").isNotDone();
        run();
        assertThat(asked).allMatch(CompletableFuture::isDone);
        for (int i = 1; i <= Descriptors.MOST; i++) {
            descriptors.of(i, PEER);
            run();
        }
        assertThat(descriptors.known(0xFFFF)).as("the one that is known longest is forgotten").isNull();
        assertThat(descriptors.known(Descriptors.MOST)).isNotNull();
    }

    @Test
    void aNodeThatStopsSaysSo() {
        Descriptors stopping = new Descriptors(typeId -> null, new FairQueue(1, task -> {
            throw new RejectedExecutionException("test");
        }), () -> Duration.ofSeconds(5), () -> now);
        assertThat(code(stopping.of(1, PEER))).isEqualTo(ErrorCode.STOPPING);
    }
}
