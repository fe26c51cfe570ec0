package org.tamanoir.transfer.copy;

/**
 * What one stream of a copy has: where its pieces are read, and where they are written.
 *
 * @param from null if they do not come here: another mover reads and writes them
 */
record Lane(Port from, Sink to) implements AutoCloseable {
    @Override
    public void close() {
        try {
            if (from != null) {
                from.close();
            }
        } finally {
            to.close();
        }
    }
}
