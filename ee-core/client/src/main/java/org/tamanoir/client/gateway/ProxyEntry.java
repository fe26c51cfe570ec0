package org.tamanoir.client.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.proxy.ProxyDialogue;
import org.tamanoir.client.wire.Closing;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.identity.destination.Target;

/** A program's connection until it has said where it wants to go, and has been answered: then a {@link Carrier} has it. On one event loop. */
final class ProxyEntry extends ChannelInboundHandlerAdapter implements Carrier.Asker {
    /** How long a program may take to read why it gets nothing. */
    private static final long LINGER_SECONDS = 1;
    /** What came behind a request goes on in pieces of that size. */
    private static final int PIECE = 32 << 10;

    private final SocketChannel program;
    private final InetSocketAddress programAddress;
    private final OpenConnection connection;
    private final Gateway gateway;
    private final ProxySettings settings;
    /** Told once when the program has said where it wants to go, or is gone. */
    private final Consumer<ProxyEntry> heard;
    private ByteBuf come = Unpooled.EMPTY_BUFFER;
    private boolean programEnded;
    private ProxyDialogue dialogue;
    private Target target;
    private InetSocketAddress destination;
    private Carrier carrier;
    private Future<?> alarm;
    private boolean over;

    ProxyEntry(SocketChannel program, OpenConnection connection, Gateway gateway, ProxySettings settings, Consumer<ProxyEntry> heard) {
        this.program = program;
        this.programAddress = program.remoteAddress();
        this.connection = connection;
        this.gateway = gateway;
        this.settings = settings;
        this.heard = heard;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        alarm = program.eventLoop().schedule(() -> refuse(new AnepException(ErrorCode.PROXY_TIMEOUT, "a program has not said within "
                + settings.patience().toMillis() + " ms where it wants to go")), settings.patience().toMillis(), TimeUnit.MILLISECONDS);
        program.closeFuture().addListener(closed -> alarm.cancel(false));
        program.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf octets = (ByteBuf) message;
        if (come == Unpooled.EMPTY_BUFFER) {
            come = program.alloc().buffer(octets.readableBytes());
        }
        come.discardSomeReadBytes().writeBytes(octets);
        octets.release();
        if (target == null) {
            hear();
        }
    }

    private void hear() {
        ByteBuf answer = program.alloc().buffer();
        try {
            if (dialogue == null) {
                dialogue = ProxyDialogue.beginningWith(come.getUnsignedByte(come.readerIndex()), settings.users());
            }
            target = dialogue.read(come, answer);
        } catch (AnepException e) {
            program.write(answer);
            refuse(e);
            return;
        }
        if (answer.isReadable()) {
            program.writeAndFlush(answer);
        } else {
            answer.release();
        }
        if (target != null) {
            lookUp();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (target == null) {
            program.read();
        }
    }

    private void lookUp() {
        heard.accept(this);
        alarm.cancel(false);
        alarm = program.eventLoop().schedule(this::tooLate, settings.longest().toMillis(), TimeUnit.MILLISECONDS);
        if (!settings.rules().mayAllow(target)) {
            refuse(forbidden());
        } else if (target.name() == null) {
            open(target.address());
        } else {
            gateway.names().lookUp(target.name(), program.eventLoop(), this::found, this::refuse);
        }
    }

    private void found(InetAddress[] addresses) {
        Arrays.stream(addresses).filter(address -> settings.rules().allows(target.name(), address, target.port())).findFirst()
                .ifPresentOrElse(this::open, () -> refuse(forbidden()));
    }

    private AnepException forbidden() {
        return new AnepException(ErrorCode.PROXY_FORBIDDEN, "the rules of this gateway do not allow " + target);
    }

    private void open(InetAddress address) {
        if (over) {
            return;
        }
        destination = new InetSocketAddress(address, target.port());
        try {
            carrier = new Carrier(program, connection.leadsTo(destination), gateway.packetizer(destination), gateway);
        } catch (AnepException e) {
            refuse(e);
            return;
        }
        program.pipeline().replace(this, null, carrier);
        carrier.begin(early(), programEnded, this);
    }

    /** What came behind the request, with room for a header in front. */
    private List<ByteBuf> early() {
        List<ByteBuf> pieces = new ArrayList<>();
        while (come.isReadable()) {
            int size = Math.min(PIECE, come.readableBytes());
            ByteBuf piece = program.alloc().directBuffer(Anep.HEADER_SIZE + size).setIndex(Anep.HEADER_SIZE, Anep.HEADER_SIZE);
            pieces.add(piece.writeBytes(come, size));
        }
        forget();
        return pieces;
    }

    private void forget() {
        come.release();
        come = Unpooled.EMPTY_BUFFER;
    }

    private void tooLate() {
        AnepException late = new AnepException(ErrorCode.PROXY_TIMEOUT, "no answer from " + target + " within " + settings.longest().toMillis() + " ms");
        if (carrier != null) {
            carrier.end(late);
        } else {
            refuse(late);
        }
    }

    // What the carrier says.

    @Override
    public void connected() {
        alarm.cancel(false);
        ByteBuf answer = program.alloc().buffer();
        dialogue.connected(answer);
        program.writeAndFlush(answer);
    }

    @Override
    public void refused(AnepException why) {
        answer(why);
    }

    // The end before its time.

    /** Others wait, and this program has said nothing: the gateway lets it go. Any thread. */
    void makeRoom() {
        program.eventLoop().execute(() -> {
            if (target == null && !over) {
                over = true;
                gateway.counters().refused(programAddress, new AnepException(ErrorCode.BUSY, "a program that has not said where it wants to go makes room for others"));
                end();
                Closing.reset(program);
            }
        });
    }

    private void refuse(AnepException why) {
        if (!over) {
            gateway.counters().refused(programAddress, why);
            answer(why);
        }
    }

    /** Says why, in the program's protocol if it has said which one it is. */
    private void answer(AnepException why) {
        over = true;
        end();
        if (dialogue == null) {
            Closing.reset(program);
            return;
        }
        ByteBuf answer = program.alloc().buffer();
        dialogue.refused(why, destination, answer);
        program.write(answer);
        program.pipeline().removeLast();
        program.pipeline().addLast(new Unheard());
        program.config().setAutoRead(true);
        Closing.finish(program);
        program.eventLoop().schedule(() -> Closing.close(program), LINGER_SECONDS, TimeUnit.SECONDS);
    }

    private void end() {
        heard.accept(this);
        if (alarm != null) {
            alarm.cancel(false);
        }
        forget();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == Gateway.STOP) {
            refuse(new AnepException(ErrorCode.STOPPING, "the gateway stops"));
        } else if (event instanceof ChannelInputShutdownEvent && target != null) {
            programEnded = true;
        } else if (event instanceof ChannelInputShutdownEvent) {
            giveUp(new AnepException(ErrorCode.CONNECTION_LOST, "the program's connection ended before it had said where it wants to go"));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        giveUp(new AnepException(ErrorCode.CONNECTION_LOST, "the program's connection ended before it was answered"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        giveUp(NetworkFailures.of(cause, programAddress));
    }

    private void giveUp(AnepException why) {
        if (!over) {
            over = true;
            gateway.counters().aborted(programAddress, why);
            end();
        }
        Closing.close(program);
    }

    /** A program that has been told why it gets nothing: what it still sends is thrown away, for a close with unread octets is a reset that may overtake the answer. */
    private static final class Unheard extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent && ((SocketChannel) context.channel()).isOutputShutdown()) {
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
