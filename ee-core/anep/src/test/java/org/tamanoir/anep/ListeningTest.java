package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class ListeningTest {
    /** What epoll does with each connection: it says that it has read as many octets as the number of the descriptor, and that it had asked for one. */
    @Test
    void aListenerGoesOnWhileSomebodyWaitsUpToABound() {
        ExtendedHandle handle = (ExtendedHandle) Listening.all().newHandle();
        EmbeddedChannel channel = new EmbeddedChannel();
        handle.reset(channel.config());
        int taken = 0;
        do {
            handle.attemptedBytesRead(1);
            handle.lastBytesRead(40 + taken);
            handle.incMessagesRead(1);
            taken++;
        } while (handle.continueReading() && taken < 1000);
        assertThat(taken).isEqualTo(256);
        channel.finishAndReleaseAll();
    }
}
