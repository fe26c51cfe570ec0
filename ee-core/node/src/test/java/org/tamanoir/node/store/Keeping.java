package org.tamanoir.node.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.tamanoir.service.Store;

/**
 * A process that keeps numbers without end and prints each when it is kept: {@code KEY NUMBER}. It goes on where the last one was killed.
 */
final class Keeping {
    static final int KEYS = 20;
    private static final int OUTSTANDING = 8;

    private Keeping() {
    }

    /** The number of a value, which is followed by as many octets as make the file grow and shrink. */
    static byte[] value(int number) {
        return ByteBuffer.allocate(4 + number * 37 % 3000).putInt(number).array();
    }

    static int number(byte[] value) {
        return ByteBuffer.wrap(value).getInt();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Store store = new ServiceStores(Path.of(arguments[0])).of(null, "killed", Runnable::run);
        Map<String, byte[]> before = store.all();
        int next = before.values().stream().mapToInt(Keeping::number).max().orElse(0) + 1;
        System.out.println("began");
        Semaphore outstanding = new Semaphore(OUTSTANDING);
        for (int number = next; ; number++) {
            outstanding.acquire();
            String line = "key" + number % KEYS + " " + number;
            store.put("key" + number % KEYS, value(number)).whenComplete((done, failure) -> {
                System.out.println(failure == null ? line : "failed " + failure);
                outstanding.release();
            });
        }
    }
}
