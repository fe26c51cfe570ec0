package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.Verdict;

/** A handler that makes the source wait: counted once for each handler, and let go when the handler is gone. */
class SourcePauseTest {
    private final StageRig rig = new StageRig();
    private final SourcePause pause = new SourcePause(rig.loop, true);

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    @Test
    void whatIsWantedWhileTheStreamIsOpenedIsDoneWhenItFlows() {
        assertThat(pause.pause(true)).isTrue();
        assertThat(rig.flow.paused).isZero();
        pause.on(rig.flow);
        assertThat(rig.flow.paused).isEqualTo(1);
    }

    @Test
    void aHandlerCountsOnceHoweverOftenItAsks() {
        pause.on(rig.flow);
        Random random = new Random(3);
        boolean wanted = false;
        for (int i = 0; i < 200; i++) {
            wanted = random.nextBoolean();
            pause.pause(wanted);
            assertThat(rig.flow.paused).isEqualTo(wanted ? 1 : 0);
        }
        pause.release();
        assertThat(rig.flow.paused).isZero();
    }

    @Test
    void aHandlerThatFailsLetsTheSourceGoOn() {
        OpenHandler opened = new OpenHandler(TestService.middle(stream -> null), (packet, out) -> Verdict.PASS,
                new HandlerTasks(TestService.middle(stream -> null), rig.loop), pause, new SourcePause(rig.loop, true), null);
        pause.on(rig.flow);
        pause.pause(true);
        opened.failed(FailurePolicy.BYPASS);
        assertThat(rig.flow.paused).isZero();
        assertThat(opened.hasFailed()).isTrue();
        assertThat(opened.instead()).isEqualTo(FailurePolicy.BYPASS);
    }

    @Test
    void datagramsDoNotWait() {
        SourcePause datagrams = new SourcePause(rig.loop, false);
        datagrams.on(rig.flow);
        assertThat(datagrams.pause(true)).isFalse();
        assertThat(rig.flow.paused).isZero();
    }

    @Test
    void fromAnotherThreadItIsDoneOnTheLoopAndRefusedWhereThatHasEnded() throws Exception {
        EventLoop loop = new DefaultEventLoop();
        SourcePause other = new SourcePause(loop, true);
        Thread[] caller = new Thread[1];
        StageRig.Flow told = new StageRig.Flow() {
            @Override
            public void pause(boolean pauses, boolean forRate) {
                super.pause(pauses, forRate);
                caller[0] = Thread.currentThread();
            }
        };
        loop.submit(() -> other.on(told)).sync();
        assertThat(other.pause(true)).isTrue();
        loop.submit(() -> { }).sync();
        assertThat(told.paused).isEqualTo(1);
        assertThat(caller[0]).isNotSameAs(Thread.currentThread());
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        assertThat(other.pause(false)).isFalse();
    }
}
