package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.stream.StageRig.payload;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.Level;
import org.tamanoir.service.Verdict;

/** A handler that ends a direction itself, and one that waits for room. */
class HandlerEndsTest {
    private final StageRig rig = new StageRig();
    private final TestService.Scripted handler = new TestService.Scripted();
    private RunningService service;
    private OpenHandler opened;
    private HandlerStage stage;
    private HandlerStage backStage;

    HandlerEndsTest() {
        policy(FailurePolicy.RESTART);
    }

    private void policy(FailurePolicy policy) {
        StageRig.Handling handling = rig.handle(TestService.of(StageRig.TYPE, "middle", Level.MIDDLE, policy, stream -> handler), handler);
        service = handling.service();
        opened = handling.opened();
        stage = handling.forward();
        backStage = handling.back();
    }

    @AfterEach
    void nothingIsLeft() {
        opened.tasks().discard();
        rig.close();
    }

    @Test
    void aDirectionThatItsHandlerEndsIsOverBehindWhatTheCallLetsPass() {
        handler.forward = (packet, out) -> {
            if (Recorder.text(packet).equals("last")) {
                out.finish();
                out.emitPayload(payload(out, "before"));
            }
            return Verdict.PASS;
        };
        rig.send(stage, "a", "last");
        assertThat(rig.taken.take()).containsExactly("a", "before", "last", "flush", "end");
        assertThat(rig.flow.endsByService).isTrue();
        rig.send(stage, "late", "later");
        stage.end();
        assertThat(handler.told).containsExactly("a", "last");
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(service.drops()).isEqualTo(Map.of("after-end", 2L));
        // The other direction goes on, and a task ends it once.
        rig.send(backStage, "b");
        opened.tasks().execute((forward, back) -> {
            back.finish();
            back.finish();
            forward.finish();
            back.emitPayload(payload(back, "c"));
        });
        rig.run();
        assertThat(rig.returned.packets()).containsExactly("b", "c", "end");
        backStage.end();
        assertThat(rig.returned.packets()).isEmpty();
        assertThat(rig.taken.packets()).isEmpty();
        assertThat(handler.told).containsExactly("a", "last", "<b");
    }

    /** Wrong: a service that failed with the call that ended the direction, and a direction that never ends. */
    @Test
    void aHandlerThatEndsADirectionAndFailsIsGotAround() {
        policy(FailurePolicy.BYPASS);
        handler.forward = (packet, out) -> {
            out.finish();
            throw new IllegalStateException("a defect");
        };
        rig.send(stage, "bad", "b");
        stage.end();
        assertThat(rig.taken.packets()).containsExactly("bad", "b", "end");
    }

    @Test
    void aHandlerThatFoundNoRoomIsToldOnceThatThereIsSome() {
        rig.flow.room = false;
        rig.flowBack.room = false;
        handler.forward = (packet, out) -> {
            assertThat(out.emitPayload(payload(out, "more"))).isFalse();
            return Verdict.TAKEN;
        };
        handler.back = (packet, out) -> {
            assertThat(out.isWritable()).isFalse();
            return Verdict.TAKEN;
        };
        rig.send(stage, "a");
        rig.send(backStage, "b");
        stage.flush();
        stage.tellRoom();
        rig.run();
        assertThat(handler.told).as("while there is none").containsExactly("a", "<b");
        rig.flow.room = true;
        stage.tellRoom();
        stage.tellRoom();
        rig.run();
        assertThat(handler.told).containsExactly("a", "<b", "room");
        // Without a word of the receiver: the next flush looks.
        rig.flowBack.room = true;
        backStage.flush();
        rig.run();
        stage.flush();
        backStage.flush();
        rig.run();
        assertThat(handler.told).containsExactly("a", "<b", "room", "<room");
        assertThat(rig.taken.packets()).containsExactly("more");
        // Nothing can be emitted behind the end, so nobody hears of room there.
        rig.flow.room = false;
        rig.send(stage, "c");
        rig.flow.room = true;
        stage.tellRoom();
        stage.end();
        stage.tellRoom();
        rig.run();
        assertThat(handler.told).containsExactly("a", "<b", "room", "<room", "c", "end");
    }
}
