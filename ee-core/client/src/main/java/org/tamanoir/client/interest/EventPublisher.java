package org.tamanoir.client.interest;

/** Publishes events in a space: in order and as fast as they are taken ({@link SpaceStream}), or by datagrams that may be lost ({@link SpaceDatagrams}). One thread. */
public interface EventPublisher extends AutoCloseable {
    /**
     * Publishes an event; it leaves with the next {@link #flush}, or when more have been gathered than leave together.
     *
     * @param position x and y, or null
     */
    void publish(String topic, Heard.Content content, double[] position, byte[] data) throws InterruptedException;

    /** Sends what was gathered. */
    void flush() throws InterruptedException;

    /** No more is published; waits until what was has left, and over TCP until the node has taken it. */
    void finish() throws InterruptedException;

    @Override
    void close();
}
