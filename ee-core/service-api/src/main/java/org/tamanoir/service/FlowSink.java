package org.tamanoir.service;

/**
 * A service that takes {@link org.tamanoir.service.flow.Flows flows}: a TCP stream of its Type ID alone whose destination is an address of its node ends there; a UDP stream
 * too, if the service {@linkplain #takesDatagrams() says so}. Without such a service a node refuses what is sent to itself (EE-212).
 *
 * <pre>{@code
 * public StreamHandler openSink(StreamContext stream) {
 *     return new Sink(stream);           // onPacket counts and returns Verdict.TAKEN; onEnd answers with back.emitPayload in a task
 * }
 * }</pre>
 */
public interface FlowSink extends ActiveService {
    /**
     * Makes the handler of a stream that ends here; in all else as {@link #open}. What it passes or emits toward the destination is thrown
     * away; what it emits back goes to the source.
     */
    StreamHandler openSink(StreamContext stream) throws Exception;

    /** Whether UDP streams to the node itself come to {@link #openSink} as well: they have neither an end nor back-pressure, and may lose packets. */
    default boolean takesDatagrams() {
        return false;
    }
}
