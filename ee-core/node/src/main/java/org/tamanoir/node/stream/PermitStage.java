package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.access.Permit;
import org.tamanoir.node.transport.Stage;

/**
 * The last step of a direction where the access policy limits a stream: a code point that is not allowed becomes 0, and the rate is kept. A TCP source waits,
 * datagrams are dropped.
 */
final class PermitStage extends Stage {
    private final Permit permit;
    private final FlowControl flow;
    private final EventLoop loop;
    private final Runnable dropped;
    private boolean paused;

    /**
     * @param loop    of the stream
     * @param dropped is told of each datagram that is one too many; null for TCP
     */
    PermitStage(Permit permit, Stage next, FlowControl flow, EventLoop loop, Runnable dropped) {
        super(next);
        this.permit = permit;
        this.flow = flow;
        this.loop = loop;
        this.dropped = dropped;
    }

    @Override
    public void packet(Packet packet) {
        packet.codePoint(permit.codePoint(packet.codePoint()));
        if (dropped == null) {
            next().packet(packet);
            pause(permit.pass(packet.length(), System.nanoTime()));
        } else if (permit.tryPass(packet.length(), System.nanoTime())) {
            next().packet(packet);
        } else {
            dropped.run();
        }
    }

    private void pause(long nanos) {
        if (nanos > 0 && !paused) {
            paused = true;
            flow.pause(true, true);
            loop.schedule(this::goOn, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void goOn() {
        // After its end the connection may carry another stream.
        if (!permit.isClosed()) {
            paused = false;
            flow.pause(false, true);
        }
    }

    @Override
    public void mark(int codePoint) {
        next().mark(permit.codePoint(codePoint));
    }
}
