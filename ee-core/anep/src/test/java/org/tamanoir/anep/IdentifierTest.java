package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class IdentifierTest {
    /** An authenticator of scheme 3 and no octets, at the very end of its buffer: no address may be looked for behind it. */
    @Test
    void anAuthenticatorIsNeverReadAsAnAddress() {
        ByteBuf buffer = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("0100540200040010" + "0004000200000003"));
        Packet packet = Packet.of(buffer);
        packet.checkOptions();
        assertThat(packet.options().authentication()).isEqualTo(new Identifier(3, new byte[0]));
    }

    @Test
    void whatIsNoAddressPrintsAsOctets() {
        assertThat(new Identifier(1, new byte[] {1, 2, 3, 4, 5})).hasToString("scheme 1 0102030405");
        assertThat(new Identifier(2, new byte[4]).inetAddress()).isNull();
    }

    @Test
    void anAddressComesBackAsItWent() throws Exception {
        for (String text : new String[] {"192.0.2.1", "2001:db8::1"}) {
            InetAddress address = InetAddress.getByName(text);
            assertThat(Identifier.of(address).inetAddress()).isEqualTo(address);
        }
    }
}
