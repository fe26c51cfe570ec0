package org.tamanoir.cli.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;

class PacketReaderTest {
    /** Packets of 8 octets to the largest, whatever a read brings: everything that can cross an edge of the buffer does. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 4096, 65_536, 1 << 20})
    void everyPacketIsFoundWhereItStands(int most) throws IOException {
        SplittableRandom random = new SplittableRandom(most);
        ByteBuf stream = Unpooled.buffer();
        int count = most == 1 ? 20 : 300;
        int[] offsets = new int[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = stream.writerIndex();
            int payload = i % 50 == 3 ? 65_527 : random.nextInt(3000);
            new PacketBuilder(i).payload(Unpooled.buffer().writeZero(payload)).writeTo(stream);
        }
        InputStream slow = new FilterInputStream(new ByteBufInputStream(stream.duplicate())) {
            @Override
            public int read(byte[] octets, int offset, int length) throws IOException {
                return super.read(octets, offset, Math.min(length, 1 + random.nextInt(most)));
            }
        };
        PacketReader reader = new PacketReader(slow, () -> { });
        for (int i = 0; i < count; i++) {
            Packet packet = reader.next();
            assertThat(packet.typeId()).isEqualTo(i);
            assertThat(reader.offset()).isEqualTo(offsets[i]);
        }
        assertThat(reader.next()).isNull();
        assertThat(reader.offset()).isEqualTo(stream.writerIndex());
    }

    @Test
    void whatIsKnownIsShownBeforeTheInputIsWaitedFor() throws IOException {
        int[] flushes = {0};
        PacketReader reader = new PacketReader(InputStream.nullInputStream(), () -> flushes[0]++);
        assertThat(reader.next()).isNull();
        assertThat(flushes[0]).isOne();
    }
}
