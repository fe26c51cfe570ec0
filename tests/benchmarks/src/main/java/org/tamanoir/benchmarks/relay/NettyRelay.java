package org.tamanoir.benchmarks.relay;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.tamanoir.client.NodeAddress;

/**
 * A relay as Netty's example of a proxy has it, on epoll: nothing is read before what was read has been written. A lower mark: nothing in it
 * is tuned, but datagrams are not cut.
 *
 * <p>{@code NettyRelay TCP|UDP LISTEN TO [LISTEN TO]…}, addresses as {@code HOST:PORT}; prints READY and ends when its standard input does.
 */
public final class NettyRelay {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final FixedRecvByteBufAllocator WHOLE_DATAGRAMS = new FixedRecvByteBufAllocator(65_535);

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(EpollIoHandler.newFactory());

    private NettyRelay() {
    }

    /** Ends with its standard input. */
    public static void main(String[] args) throws Exception {
        NettyRelay relay = new NettyRelay();
        for (int i = 1; i < args.length; i += 2) {
            InetSocketAddress listen = NodeAddress.hostPort(args[i]);
            InetSocketAddress to = NodeAddress.hostPort(args[i + 1]);
            if (args[0].equals(Transport.TCP.name())) {
                relay.streams(listen, to);
            } else {
                relay.datagrams(listen, to);
            }
        }
        System.out.println("READY");
        while (System.in.read() >= 0) {
            // Whatever is said to it.
        }
        relay.loops.shutdownGracefully();
    }

    private void streams(InetSocketAddress listen, InetSocketAddress to) throws InterruptedException {
        new ServerBootstrap().group(loops).channel(EpollServerSocketChannel.class).childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Front(to));
                    }
                }).bind(listen).sync();
    }

    /** The side that accepted: opens the other one. */
    private static final class Front extends ChannelInboundHandlerAdapter {
        private final InetSocketAddress to;

        Front(InetSocketAddress to) {
            this.to = to;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            Channel front = context.channel();
            new Bootstrap().group(front.eventLoop()).channel(EpollSocketChannel.class).option(ChannelOption.AUTO_READ, false)
                    .handler(new Copy(front)).connect(to).addListener((ChannelFutureListener) connected -> {
                        if (connected.isSuccess()) {
                            context.pipeline().addLast(new Copy(connected.channel()));
                            context.pipeline().remove(this);
                            front.read();
                            connected.channel().read();
                        } else {
                            front.close();
                        }
                    });
        }
    }

    /** Writes what one side has read to the other, and then reads more. */
    private static final class Copy extends ChannelInboundHandlerAdapter {
        private final Channel other;

        Copy(Channel other) {
            this.other = other;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            other.writeAndFlush(message).addListener((ChannelFutureListener) written -> {
                if (written.isSuccess()) {
                    context.channel().read();
                } else {
                    written.channel().close();
                }
            });
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private void datagrams(InetSocketAddress listen, InetSocketAddress to) throws InterruptedException {
        Map<InetSocketAddress, Channel> flows = new HashMap<>();
        socket(loops, (front, datagram) -> flows.computeIfAbsent(datagram.sender(), source -> open(front, source, to))
                .writeAndFlush(new DatagramPacket(datagram.content(), to))).bind(listen).sync();
    }

    /** A socket of its own for a source, as answers come there; it can be written to at once, as its loop is this one. */
    private static Channel open(Channel front, InetSocketAddress source, InetSocketAddress to) {
        return socket(front.eventLoop(), (flow, datagram) -> front.writeAndFlush(new DatagramPacket(datagram.content(), source)))
                .bind(0).channel();
    }

    private static Bootstrap socket(EventLoopGroup loops, BiConsumer<Channel, DatagramPacket> each) {
        return new Bootstrap().group(loops).channel(EpollDatagramChannel.class).option(ChannelOption.RECVBUF_ALLOCATOR, WHOLE_DATAGRAMS)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        each.accept(context.channel(), (DatagramPacket) message);
                    }
                });
    }
}
