package org.tamanoir.transfer.copy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.Content;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.wire.PullOrder;

/** Reads extents of another mover for a mover that writes them. One thread may ask while another one takes. */
public final class Puller implements AutoCloseable {
    /** The other mover cannot be read from any more. */
    public static final class Lost extends AnepException {
        private Lost(AnepException why) {
            super(why.code(), why.text(), why);
        }
    }

    private final End.Remote end;
    private final MoverPort port;

    /**
     * Reaches the other mover.
     *
     * @param buffers give room for what comes; only one is used at a time
     * @param moved is told how many octets have come, as they do
     * @throws AnepException why it cannot be; EE-408, EE-108 if the order makes no sense
     */
    public Puller(String copy, PullOrder order, IntFunction<ByteBuffer> buffers, LongConsumer moved, TamanoirClient client) throws InterruptedException {
        Place place = new Place(List.of(NodeAddress.hostPort(order.mover())), "", true);
        List<NodeAddress> via = order.via().stream().map(NodeAddress::parse).toList();
        end = new End.Remote(client, place, CopyOptions.PRESET.by(via, order.services()).token(order.token().isEmpty() ? null : order.token()), copy);
        try {
            port = end.port(0, buffers, moved);
        } catch (AnepException | InterruptedException e) {
            end.close();
            throw e;
        }
    }

    /** Asks for an extent of a file that is still what it was. */
    public void ask(String path, FileStamp stamp, Extent extent) throws InterruptedException {
        try {
            port.ask(new Piece(new FileJob(path, path, stamp, false), extent));
        } catch (AnepException e) {
            throw new Lost(e);
        }
    }

    /** Waits for the first extent that was asked for and not taken. It is valid until the next is taken. @throws AnepException why it cannot be read; {@link Lost} if none can */
    public Content take() throws InterruptedException {
        try {
            return port.take();
        } catch (PieceFailed e) {
            throw e;
        } catch (AnepException e) {
            throw new Lost(e);
        }
    }

    /** Has whoever asks or takes fail soon. From any thread. */
    public void stop() {
        end.stop();
    }

    @Override
    public void close() {
        port.close();
        end.close();
    }
}
