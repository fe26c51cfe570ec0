package org.tamanoir.service;

/**
 * The handler of a service that declares {@code resume=checkpoint}: what it knows of a stream travels with the octets to the end that keeps it, and when a
 * node dies, to the handler that goes on in another one. Nothing of it is kept in the node.
 *
 * <p>The ends of such a stream send a mark each mebibyte, and soon after anything new. Where it passes, the handler is asked what it knows. If the chain of
 * nodes dies later, a handler of the same version of the service in the same place of another chain is given that, and then the packets that followed the
 * mark. The two directions are apart: each has marks of its own, and another chain goes on with each where its own last mark was.
 *
 * <pre>{@code
 * public byte[] checkpoint(Output out) {
 *     return ByteBuffer.allocate(8).putLong(position).array();
 * }
 *
 * public void restore(byte[] state) {
 *     position = ByteBuffer.wrap(state).getLong();
 * }
 * }</pre>
 *
 * <p>The states of all services of a stream have at most 60,000 octets for each direction. Keep them small: they travel each time. A state is as safe as the
 * stream, and nobody but the service reads it; what nobody else may see or change has to be encrypted by the service.
 */
public interface CheckpointedHandler extends StreamHandler {
    /** Nothing: what a handler knows when it is opened. */
    byte[] NOTHING = {};

    /**
     * What the handler knows of the packets on their way to the destination that came before a mark.
     *
     * @param out emit here what is held of them: it leaves before the mark
     * @return in a form of its own; {@link #NOTHING}: nothing that a new handler would not know
     */
    byte[] checkpoint(Output out) throws Exception;

    /** The same for the packets on their way back to the source. */
    default byte[] checkpointReturn(Output out) throws Exception {
        return NOTHING;
    }

    /**
     * Before the first packet to the destination: goes on where another handler has returned this from {@link #checkpoint}. Not called for {@link #NOTHING}.
     */
    void restore(byte[] state) throws Exception;

    /** The same for the packets on their way back to the source, of {@link #checkpointReturn}. */
    default void restoreReturn(byte[] state) throws Exception {
    }
}
