package org.tamanoir.node.store;

import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.tamanoir.service.Blocks;

/** A process that keeps blocks without end and prints the name of each when it is kept. */
final class KeepingBlocks {
    private static final int OUTSTANDING = 8;
    private static final int MOST = 200_000;

    private KeepingBlocks() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Blocks blocks = new ServiceStores(Path.of(arguments[0])).blocks(null, "killed", Runnable::run, () -> 1L << 40);
        Random random = new Random();
        Semaphore outstanding = new Semaphore(OUTSTANDING);
        System.out.println("began");
        while (true) {
            outstanding.acquire();
            byte[] block = new byte[1 + random.nextInt(MOST)];
            random.nextBytes(block);
            blocks.put(Unpooled.wrappedBuffer(block)).whenComplete((name, failure) -> {
                synchronized (System.out) {
                    System.out.println(failure == null ? name : "failed " + failure);
                }
                outstanding.release();
            });
        }
    }
}
