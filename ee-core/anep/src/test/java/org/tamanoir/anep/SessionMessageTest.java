package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.PacketOptions.ErrorReport;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketOptions.Unknown;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.State;
import org.tamanoir.anep.SessionMessage.Welcome;

/** What the ends of a session say, apart from its octets: those are in the vectors. */
class SessionMessageTest {
    private static final Resume RESUME = new Resume(0xABC, 11, 13, 2, false, 4096, 99);

    /** By hashlib of Python: the first 16 octets of the SHA-256 of the token and the name. */
    @Test
    void aTokenThatIsBoundToAUserIsTheHashOfBoth() {
        assertThat(RESUME.boundTo("alice")).isEqualTo(new Resume(0xABC, -6211568920156466218L, -6711443293390804738L, 2, false, 4096, 99));
        assertThat(RESUME.boundTo("alic")).isNotEqualTo(RESUME.boundTo("alice"));
    }

    @Test
    void withStatesOfServicesTheRestIsAsItWas() {
        List<State> states = List.of(new State("one 1.0", new byte[] {1}), new State("two 2.0", new byte[0]));
        assertThat(RESUME.with(states).states()).isEqualTo(states);
        assertThat(RESUME.with(states).with(List.of())).isEqualTo(RESUME);
        assertThat(new Welcome(5, 6).with(states)).isEqualTo(new Welcome(5, 6, states));
        assertThat(SessionMessage.of(states)).isEqualTo("one 1.0, two 2.0");
    }

    @Test
    void whatIsRefusedSaysWhyAndNeverTheToken() {
        assertThat(RESUME.refused(ErrorCode.SESSION_UNKNOWN)).hasMessage("EE-223 session 0000000000000abc, epoch 2, resumed after 4096 octets is not known here:"
                + " it is over, or this end has begun anew");
        assertThat(RESUME.refused(ErrorCode.SESSION_FOREIGN)).hasMessageContaining("somebody else");
        assertThat(RESUME.refused(ErrorCode.SESSION_SUPERSEDED)).hasMessageContaining("later epoch");
        assertThat(RESUME.refused(ErrorCode.SESSION_DIFFERS)).hasMessageContaining("does not have");
        assertThat(new Resume(1, 1, 1, 1, true, 0, 0)).hasToString("session 0000000000000001, epoch 1, begun after 0 octets");
    }

    @Test
    void anErrorPacketSaysWhatItNamesAndOneThatNamesNothingIsOurFault() {
        ByteBuf named = PacketBuilder.error(UnpooledByteBufAllocator.DEFAULT, ErrorCode.STOPPING, "soon", 7);
        assertThat(ErrorReport.in(Packet.of(named))).isEqualTo(new ErrorReport(ErrorCode.STOPPING, "soon"));
        ByteBuf nameless = new PacketBuilder(Anep.TYPE_ERROR).build(UnpooledByteBufAllocator.DEFAULT);
        assertThat(ErrorReport.in(Packet.of(nameless)).code()).isEqualTo(ErrorCode.INTERNAL);
        ByteBuf other = new PacketBuilder(0x5402).build(UnpooledByteBufAllocator.DEFAULT);
        assertThat(ErrorReport.in(Packet.of(other))).isNull();
        named.release();
        nameless.release();
        other.release();
    }

    @Test
    void optionsAreCopiedAndReadAsTheyWereSet() {
        PacketOptions options = new PacketOptions().token("abc").addUnknown(new Unknown(0x8042, new byte[4]));
        PacketOptions copy = options.copy();
        copy.addUnknown(new Unknown(0x0007, new byte[4]));
        assertThat(options.unknown()).hasSize(1);
        assertThat(copy.unknown()).hasSize(2);
        assertThat(new PacketOptions().copy().unknown()).isEmpty();
        assertThat(options.token()).isEqualTo("abc");
        assertThat(new PacketOptions().token(null).token()).isNull();
        assertThat(new PacketOptions().authentication(new Identifier(1, new byte[4])).token()).isNull();
        assertThat(PreviousNode.NONE.isNone()).isTrue();
        assertThat(new PreviousNode(1, 0).isNone()).isFalse();
        assertThat(new Unknown(0x8042, new byte[4]).isPrivate()).isTrue();
        assertThat(new Unknown(0x0007, new byte[4]).number()).isEqualTo(7);
        assertThat(new Unknown(0x0007, new byte[4]).isPrivate()).isFalse();
    }
}
