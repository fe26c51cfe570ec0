package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PacketBuilderTest {
    @Test
    void aBarePacketIsEightOctetsAndThePayload() {
        ByteBuf packet = new PacketBuilder(0x5402).payload(Unpooled.copiedBuffer("hello", StandardCharsets.US_ASCII))
                .build(UnpooledByteBufAllocator.DEFAULT);
        assertThat(ByteBufUtil.hexDump(packet)).isEqualTo("010054020002000d68656c6c6f");
        packet.release();
    }
}
