package org.tamanoir.client.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.resumable.Session;
import org.tamanoir.client.resumable.Ways;

/** A session without an octet, to hear whether the nodes, their services and the endpoint carry it. The server sees a connection that ends at once. */
final class SessionCheck implements Session.Application {
    private final CompletableFuture<AnepException> result;

    private SessionCheck(CompletableFuture<AnepException> result) {
        this.result = result;
    }

    /** Starts a check. On the loop. Its result is why the way is closed, or null. */
    static void start(Ways ways, EventLoop loop, long id, CompletableFuture<AnepException> result) {
        ways.open(loop, id, new SessionCheck(result)).finish();
    }

    @Override
    public void onOctets(ByteBuf octets) {
        octets.release();
    }

    @Override
    public boolean onReadComplete() {
        return true;
    }

    @Override
    public void onEnd() {
        // It comes from a server that ends what has ended.
    }

    @Override
    public void onRoom() {
        // There is nothing to write.
    }

    @Override
    public void onDone() {
        result.complete(null);
    }

    @Override
    public void onFailure(AnepException why) {
        result.complete(why);
    }
}
