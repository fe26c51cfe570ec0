package org.tamanoir.transfer.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.IncomingStream;
import org.tamanoir.client.ReceiverOptions;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.TamanoirReceiver;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.MessageStream;

/** What a port sends before its mover has answered; the mover is the test. */
@Timeout(60)
class MoverPortTest {
    private static final FileStamp STAMP = new FileStamp(1 << 20, 0, 0644);
    private static final Piece PIECE = new Piece(new FileJob("from", "to", STAMP, false), new Extent(0, 1 << 20));

    private TamanoirReceiver receiver;
    private TamanoirClient client;
    private MoverPort port;
    private IncomingStream stream;
    private MessageStream mover;

    @BeforeEach
    void open() throws InterruptedException {
        receiver = TamanoirReceiver.listen(new ReceiverOptions(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        client = new TamanoirClient();
        port = new MoverPort(client.open(new StreamRequest().via(receiver.address()).to(receiver.address()).services("forward")), ByteBuffer::allocate, false, octets -> { }, closed -> { });
        port.greet("copy", null);
        stream = receiver.accept();
        mover = new MessageStream(stream, ByteBuffer::allocate, octets -> { });
        assertThat(mover.receive().message()).isInstanceOf(Message.Hello.class);
    }

    @AfterEach
    void close() {
        port.close();
        mover.close();
        client.close();
        receiver.close();
    }

    /** Wrong: a round trip for each stream before anything is asked for. */
    @Test
    void whoAsksDoesNotWaitForTheWelcome() throws Exception {
        port.ask(PIECE);
        assertThat(mover.receive().message()).isEqualTo(new Message.Read("from", STAMP, PIECE.extent()));
        mover.send(new Message.Done());
        mover.send(new Message.Octets(false), ByteBuffer.allocate(PIECE.octets()));
        assertThat(port.take().length()).isEqualTo(PIECE.octets());
    }

    /** Wrong: octets for a mover that is not there, which a node in between takes all the same: they go twice. */
    @Test
    void whoGivesDoes() throws Exception {
        CompletableFuture<Void> given = CompletableFuture.runAsync(() -> give());
        long before = stream.receivedOctets();
        Thread.sleep(200);
        assertThat(stream.receivedOctets()).isEqualTo(before);
        assertThat(given).isNotDone();
        mover.send(new Message.Done());
        assertThat(mover.receive().body().remaining()).isEqualTo(PIECE.octets());
        mover.send(new Message.Done());
        given.join();
        port.settle();
    }

    /** Of the stream, and not of a piece: the copy opens another one or ends. */
    @Test
    void whoIsNotWelcomeHearsWhy() throws Exception {
        stream.refuse(ErrorCode.NOT_AUTHORISED, "the mover wants a token");
        assertThatThrownBy(() -> {
            port.ask(PIECE);
            port.take();
        }).isInstanceOf(AnepException.class).isNotInstanceOf(PieceFailed.class).hasMessageContaining("EE-406").hasMessageContaining("wants a token");
        assertThat(port.hasFailed()).isTrue();
    }

    private void give() {
        try {
            port.give(PIECE, Content.of(ByteBuffer.allocate(PIECE.octets())));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
