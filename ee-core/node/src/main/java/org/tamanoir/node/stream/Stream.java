package org.tamanoir.node.stream;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.service.RunningService;

/** What the table and the manager need of a stream, TCP or UDP. Called on its event loop, but for what says otherwise. */
interface Stream {
    /** This node's own number for it. Any thread. */
    long number();

    EventLoop loop();

    /** Whose share of the streams it takes. Any thread. */
    InetAddress charged();

    /** Looks at the clock: ends the stream if a time is over, gives memory back if it is quiet. */
    void tick(long now);

    /** The node is stopping: a stream that has no end of its own ends now, in good order. */
    void finishUp();

    /** Ends the stream; its peers are told why where they can be. */
    void fail(AnepException why);

    /** Whether packets of it go through that version of that service. */
    boolean uses(RunningService service);

    /** Octets that wait for a receiver, on either side. Any thread; may be a moment old. */
    long waiting();

    StreamStatus status();

    /** Which level runs it, and why not a lower one; on its loop. */
    Placement placement();

    /** What its services say of it, by name. */
    CompletableFuture<Map<String, Map<String, Object>>> report();
}
