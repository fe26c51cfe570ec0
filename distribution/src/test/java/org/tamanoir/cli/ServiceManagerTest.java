package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceManagerTest {
    /** Wrong: an address whose length counts octets that are not there, and a message with a zero behind it. */
    @Test
    void aDatagramComesAsItWasWritten(@TempDir Path directory) throws Exception {
        MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        try {
            String path = directory.resolve("notify").toString();
            Channel manager = new Bootstrap().group(loop).channel(EpollDomainDatagramChannel.class).handler(new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, DomainDatagramPacket packet) {
                    told.add(packet.content().toString(StandardCharsets.UTF_8));
                }
            }).bind(new DomainSocketAddress(path)).sync().channel();
            ServiceManager.send(path, "READY=1");
            ServiceManager.send(path, "STOPPING=1");
            assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("READY=1");
            assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("STOPPING=1");
            manager.close().sync();
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }
}
