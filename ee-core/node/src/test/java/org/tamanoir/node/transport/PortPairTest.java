package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class PortPairTest {
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<Channel> opened = new ArrayList<>();
    private int refusals;

    @AfterEach
    void stop() {
        loops.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS).syncUninterruptibly();
    }

    /** Always on a free port, whichever was asked for: what counts here is how often it is called. */
    private Channel tcp(InetSocketAddress address) {
        Channel listener = new ServerBootstrap().group(loops).channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter()).bind(address.getAddress(), 0).syncUninterruptibly().channel();
        opened.add(listener);
        return listener;
    }

    private Consumer<InetSocketAddress> refusing(int times, ErrorCode code) {
        return real -> {
            assertThat(real.getPort()).isPositive();
            if (refusals++ < times) {
                throw new AnepException(code, "port " + real.getPort() + " is taken");
            }
        };
    }

    private Channel open(int port, int times, ErrorCode code) {
        return PortPair.open(new InetSocketAddress("127.0.0.1", port), this::tcp, refusing(times, code));
    }

    @Test
    void aNumberThatIsTakenForUdpIsGivenBackAndAnotherIsTried() {
        Channel listener = open(0, 3, ErrorCode.CANNOT_LISTEN);
        assertThat(opened).hasSize(4).last().isSameAs(listener);
        assertThat(opened).extracting(Channel::isOpen).containsExactly(false, false, false, true);
    }

    @Test
    void aNumberThatIsAskedForIsTriedOnceAndOtherErrorsAreNotMendedByAnother() {
        assertThatThrownBy(() -> open(3322, 1, ErrorCode.CANNOT_LISTEN)).hasMessageStartingWith("EE-502");
        refusals = 0;
        assertThatThrownBy(() -> open(0, 1, ErrorCode.INTERNAL)).hasMessageStartingWith("EE-599");
        assertThat(opened).hasSize(2).extracting(Channel::isOpen).containsOnly(false);
    }

    @Test
    void whereNothingIsFreeItGivesUp() {
        assertThatThrownBy(() -> open(0, Integer.MAX_VALUE, ErrorCode.CANNOT_LISTEN)).hasMessageStartingWith("EE-502");
        assertThat(opened).hasSize(PortPair.ATTEMPTS).extracting(Channel::isOpen).containsOnly(false);
    }
}
