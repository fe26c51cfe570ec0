package org.tamanoir.service.link;

import org.tamanoir.service.ActiveService;

/**
 * A service that also gets the datagrams of its Type ID that name no destination: they are for the node itself.
 *
 * <p>A node has several handlers of a service, each with a thread of its own (its event loop): datagrams of one stream id always come to
 * the same handler, in the order in which their sender's arrived; those without a stream id, or with the id 0, come to every handler. So a
 * handler holds the state of its share of the sessions, and there is nothing to lock.
 *
 * <pre>{@code
 * public LinkHandler openLinks(Links links) {
 *     return (packet, from) -> links.send(answerTo(packet, links.allocator()), from);
 * }
 * }</pre>
 */
public interface LinkService extends ActiveService {
    /** Makes a handler; called after {@link #start}, on the handler's own thread, when its first datagram is there. If it throws, the
     * datagram is dropped and the next one tries again. */
    LinkHandler openLinks(Links links) throws Exception;
}
