package org.tamanoir.node.stream;

import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;

/** Datagrams that find no room are dropped, so nobody waits. */
final class DatagramFlow implements FlowControl {
    private final Consumer<AnepException> failed;
    private int overloaded;

    /** @param failed is told why the stream cannot go on */
    DatagramFlow(Consumer<AnepException> failed) {
        this.failed = failed;
    }

    /** Whether a service is behind: then what comes is dropped. */
    boolean isOverloaded() {
        return overloaded > 0;
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public boolean isDrained() {
        return true;
    }

    @Override
    public void onRoom(Runnable told) {
        // There is always room.
    }

    @Override
    public void busy(boolean busy) {
        overloaded += busy ? 1 : -1;
    }

    @Override
    public void pause(boolean pause, boolean forRate) {
        throw new IllegalStateException("datagrams do not wait");
    }

    @Override
    public int codePoint() {
        return 0;
    }

    @Override
    public void failed(AnepException why) {
        failed.accept(why);
    }
}
