package org.tamanoir.node.stream;

import org.tamanoir.anep.AnepException;
import org.tamanoir.node.transport.TcpLeg;

/** One direction of a TCP stream: reads from its source only while its target and its heavy services have room
 * and no service makes it wait. */
final class TcpWay implements Way {
    private final TcpStream stream;
    private TcpLeg from;
    private TcpLeg to;
    private int busy;
    private int pauses;

    TcpWay(TcpStream stream) {
        this.stream = stream;
    }

    void between(TcpLeg from, TcpLeg to) {
        this.from = from;
        this.to = to;
    }

    @Override
    public boolean isWritable() {
        return busy == 0 && to.isWritable();
    }

    @Override
    public void busy(boolean more) {
        busy += more ? 1 : -1;
        update();
    }

    @Override
    public void pause(boolean pause) {
        pauses += pause ? 1 : -1;
        update();
    }

    /** Reads, or makes the peer wait, as things are now. */
    void update() {
        if (from != null) {
            from.pauseReading(pauses > 0 || !isWritable());
        }
    }

    @Override
    public void failed(AnepException why) {
        stream.failedAnywhere(why);
    }
}
