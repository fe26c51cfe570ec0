package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ContentEncoding;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions;

class PlainStageTest {
    private final StageRig rig = new StageRig();
    private final PlainStage stage = new PlainStage(rig.taken, rig.flow);

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    @Test
    void aPayloadThatIsStillEncodedIsNotDeliveredAndTheEndIsNoGoodOne() {
        rig.send(stage, "plain");
        rig.lend(stage, rig.buffer(StageRig.TYPE, new PacketOptions().contentEncoding(ContentEncoding.ZSTD, 600), "encoded"), 0);
        rig.send(stage, "after");
        rig.sendTogether(stage, "more");
        stage.end();
        assertThat(rig.taken.take()).containsExactly("plain");
        assertThat(rig.flow.failure()).isEqualTo(ErrorCode.BAD_CONTENT);
    }

    @Test
    void whatIsPlainEndsAsItDid() {
        rig.send(stage, "plain");
        assertThat(stage.takesRuns()).isTrue();
        rig.sendTogether(stage, "a", "b");
        stage.end();
        assertThat(rig.taken.take()).containsExactly("plain", "a", "b", "end");
    }
}
