package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.node.transport.PacketRuns;

/** What the handler of a heavy service lets out during one batch. */
final class GatheredPackets extends PacketRuns {
    private List<ByteBuf> packets = new ArrayList<>();
    private int bytes;
    private boolean ended;
    private boolean toldEnd;

    @Override
    protected void run(ByteBuf whole, int offset, int length, long read) {
        packets.add(whole.retainedSlice(offset, length));
        bytes += length;
    }

    @Override
    public void flush() {
        // The batch is handed over as a whole.
    }

    @Override
    public void end() {
        ended = true;
    }

    /** Octets that have come out since {@link #take}. */
    int bytes() {
        return bytes;
    }

    boolean hasNews() {
        return bytes > 0 || ended && !toldEnd;
    }

    /** Whether the direction has come to its end since the last time. */
    boolean takeEnd() {
        boolean now = ended && !toldEnd;
        toldEnd = ended;
        return now;
    }

    List<ByteBuf> take() {
        List<ByteBuf> taken = packets;
        packets = new ArrayList<>();
        bytes = 0;
        return taken;
    }
}
