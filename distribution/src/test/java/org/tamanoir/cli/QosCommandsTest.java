package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.DatagramSocket;
import java.net.InetAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class QosCommandsTest {
    @Test
    void aNodeThatDoesNotAnswerIsNamedAfterTenSeconds() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            Launched open = Launched.here("qos", "open", "--via", "127.0.0.1:" + silent.getLocalPort(), "--to", "127.0.0.1:7000", "delay=low");
            assertThat(open.exit()).isEqualTo(ExitCode.UNREACHABLE);
            assertThat(open.err()).startsWith("EE-807 no node has answered within 10 s; the first one is 127.0.0.1:" + silent.getLocalPort());
        }
    }
}
