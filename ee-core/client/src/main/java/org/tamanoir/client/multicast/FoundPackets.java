package org.tamanoir.client.multicast;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tamanoir.client.multicast.file.FileStore.Finds;
import org.tamanoir.client.multicast.file.FileStore.Found;
import org.tamanoir.dyram.receiver.ReceiverCore;

/** Brings packets that were found on the disk to the receiver's thread, not faster than it takes them. */
final class FoundPackets implements Finds {
    /** Batches under way. */
    private static final int MOST = 4;
    /** The receiver has ended if it takes nothing for so long. */
    private static final int GIVEN_UP_SECONDS = 10;

    private final CoreDriver driver;
    private final Supplier<ReceiverCore> core;
    private final Semaphore room = new Semaphore(MOST);

    FoundPackets(CoreDriver driver, Supplier<ReceiverCore> core) {
        this.driver = driver;
        this.core = core;
    }

    @Override
    public void looking(long session, boolean more) {
        driver.call(now -> core.get().looking(now, session, more));
    }

    @Override
    public boolean found(long session, List<Found> packets) {
        try {
            if (!room.tryAcquire(GIVEN_UP_SECONDS, TimeUnit.SECONDS)) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        driver.call(now -> {
            for (Found packet : packets) {
                ByteBuf body = packet.body();
                core.get().found(now, session, packet.index(), body);
                body.release();
            }
            room.release();
        });
        return true;
    }
}
