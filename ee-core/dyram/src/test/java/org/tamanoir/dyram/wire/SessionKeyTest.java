package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;

class SessionKeyTest {
    private static final byte[] SECRET = "between us".getBytes(StandardCharsets.US_ASCII);
    private static final SessionKey KEY = SessionKey.of(SECRET, 7, 9);

    private static Message.Data packet(SessionKey key, long session, long sequence, String content) {
        ByteBuf body = Unpooled.buffer();
        key.data(session, sequence, Unpooled.copiedBuffer(content, StandardCharsets.US_ASCII), body);
        return new Message.Data(session, sequence, false, 0, 0, body, null);
    }

    private static Message.Data with(Message.Data data, long session, long sequence, ByteBuf body) {
        return new Message.Data(session, sequence, data.repair(), data.replier(), data.cookie(), body, null);
    }

    @Test
    void aPacketIsWhatTheSourceSentOrIsNotTaken() {
        Message.Data data = packet(KEY, 7, 1000, "content");
        assertThat(data.content().toString(StandardCharsets.US_ASCII)).isEqualTo("content");
        assertThat(KEY.verify(data)).isTrue();
        assertThat(KEY.verify(with(data, 7, 1001, data.body()))).as("another place").isFalse();
        assertThat(KEY.verify(with(data, 8, 1000, data.body()))).as("another session").isFalse();
        assertThat(KEY.verify(with(data, 7, 1000, data.body().slice(0, SessionKey.TAG_LENGTH - 1)))).as("no whole tag").isFalse();
        for (int i = 0; i < data.body().readableBytes(); i++) {
            ByteBuf damaged = data.body().copy();
            damaged.setByte(i, damaged.getByte(i) ^ 0x10);
            assertThat(KEY.verify(with(data, 7, 1000, damaged))).as("octet %d damaged", i).isFalse();
        }
    }

    @Test
    void anEmptyPacketIsSignedToo() {
        Message.Data data = packet(KEY, 7, 1, "");
        assertThat(data.body().readableBytes()).isEqualTo(SessionKey.TAG_LENGTH);
        assertThat(KEY.verify(data)).isTrue();
    }

    @Test
    void aMessageOfTheSourceIsTakenWithItsOwnTagOnly() {
        Message.Close close = KEY.sign(new Message.Close(7, ErrorCode.BUSY, SessionKey.NO_TAG));
        assertThat(close.tag()).hasSize(SessionKey.TAG_LENGTH);
        assertThat(KEY.verify(close)).isTrue();
        assertThat(KEY.verify(close.tagged(SessionKey.NO_TAG))).as("not signed").isFalse();
        assertThat(KEY.verify(new Message.Close(7, ErrorCode.REVOKED, close.tag()))).as("another reason").isFalse();
    }

    @Test
    void secretSessionAndSaltMakeTheKey() {
        Message.Data data = packet(KEY, 7, 1000, "content");
        assertThat(SessionKey.of(SECRET.clone(), 7, 9).verify(data)).isTrue();
        assertThat(SessionKey.of("between".getBytes(StandardCharsets.US_ASCII), 7, 9).verify(data)).isFalse();
        assertThat(SessionKey.of(SECRET, 8, 9).verify(data)).isFalse();
        assertThat(SessionKey.of(SECRET, 7, 10).verify(data)).isFalse();
        assertThat(SessionKey.of(new byte[0], 7, 9).verify(packet(SessionKey.of(new byte[0], 7, 9), 7, 1, "open to all"))).isTrue();
    }
}
