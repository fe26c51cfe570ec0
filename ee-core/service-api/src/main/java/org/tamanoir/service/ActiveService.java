package org.tamanoir.service;

import java.util.Map;

/**
 * A service that a node applies to streams. One instance serves every stream of its version on a node.
 *
 * <p>Its life: constructed by Declarative Services, {@link #start started} with its configuration, asked to {@link #open} a handler for
 * each new stream, {@link #stop stopped} after its last stream has ended. {@code start} and {@code stop} are called once; {@code open}
 * is called on the stream's own thread, at the same time for different streams.
 *
 * <pre>{@code
 * @Component
 * public final class Upper implements ActiveService {
 *     @Override
 *     public StreamHandler open(StreamContext stream) {
 *         return (packet, out) -> Verdict.PASS;
 *     }
 * }
 * }</pre>
 */
public interface ActiveService {
    /**
     * Reads and checks the configuration, registers metrics. If it throws, the service is not used and its state becomes failed with
     * the message as the reason.
     */
    default void start(ServiceContext service) throws Exception {
    }

    /**
     * Makes the handler for one stream. If it throws, that stream is refused and no other is touched.
     *
     * @return a new handler; it holds the state of the stream
     */
    StreamHandler open(StreamContext stream) throws Exception;

    /**
     * What the next version gets as {@link ServiceContext#inherited} when the service is upgraded or restarted: values by name, made of
     * Java's own classes (text, numbers, truth values, arrays, lists and maps of these). Streams of this version go on with what it has.
     * Called on another thread than those of its streams.
     *
     * <pre>{@code
     * return Map.of("packets", packets.sum());
     * }</pre>
     */
    default Map<String, Object> handOver() {
        return Map.of();
    }

    /**
     * The operator has changed its options, and the node's configuration is read again. Reads and checks them as {@link #start} does; if it
     * throws, the node keeps the configuration before. Called on another thread than those of its streams.
     *
     * @return whether it goes on with the new ones; false if they wait until it is restarted
     */
    default boolean reconfigure(Configuration configuration) throws Exception {
        return false;
    }

    /** Gives back what {@link #start} took. */
    default void stop() {
    }
}
