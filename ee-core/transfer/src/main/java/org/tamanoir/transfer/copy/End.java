package org.tamanoir.transfer.copy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.store.Store;

/** One end of a copy: where it looks and what it decides by one store, where its octets go by ports, one for each stream. */
interface End extends AutoCloseable {
    Store store();

    /** A port. @param moved is told how many octets have come or left */
    Port port(LongConsumer moved) throws InterruptedException;

    @Override
    void close();

    /** A directory of this machine. */
    final class Local implements End {
        private final LocalStore files;
        private final Store.Octets store;

        Local(LocalStore files, String copy) {
            this.files = files;
            this.store = files.of(copy, () -> { });
        }

        @Override
        public Store store() {
            return store;
        }

        @Override
        public Port port(LongConsumer moved) {
            return new LocalPort(store, moved);
        }

        @Override
        public void close() {
            files.close();
        }
    }

    /** A mover. */
    final class Remote implements End {
        private final TamanoirClient client;
        private final Place place;
        private final CopyOptions options;
        private final String copy;
        /** After so long without an octet a stream that is waited for is given up. */
        private static final long STALL_NANOS = 15_000_000_000L;
        private static final long CHECK_MILLIS = 1_000;

        private final AtomicInteger failures = new AtomicInteger();
        private final Set<MoverPort> ports = ConcurrentHashMap.newKeySet();
        private final Thread watch = new Thread(this::watch, "copy watch");
        private final MoverStore store;

        Remote(TamanoirClient client, Place place, CopyOptions options, String copy) {
            this.client = client;
            this.place = place;
            this.options = options;
            this.copy = copy;
            this.store = new MoverStore(() -> port(octets -> { }), options.patience());
            watch.setDaemon(true);
            watch.start();
        }

        private void watch() {
            try {
                while (true) {
                    Thread.sleep(CHECK_MILLIS);
                    ports.forEach(port -> port.checkStall(STALL_NANOS));
                }
            } catch (InterruptedException e) {
                // It is closed.
            }
        }

        @Override
        public Store store() {
            return store;
        }

        @Override
        public MoverPort port(LongConsumer moved) throws InterruptedException {
            MoverPort port = null;
            boolean greeted = false;
            try {
                ClientStream stream = client.open(request());
                port = new MoverPort(stream, moved, ports::remove);
                ports.add(port);
                port.greet(copy, options.token());
                greeted = true;
                return port;
            } catch (PieceFailed e) {
                // Of the stream, and not of a piece.
                throw new AnepException(e.code(), e.text(), e);
            } finally {
                if (!greeted) {
                    failures.incrementAndGet();
                    if (port != null) {
                        port.close();
                    }
                }
            }
        }

        /** By the first node; after a failure by the next one, as one that can be connected to may yet lead nowhere. */
        private StreamRequest request() {
            List<NodeAddress> ways = new ArrayList<>(options.via());
            if (ways.isEmpty()) {
                ways.add(new NodeAddress(place.mover(), false));
            }
            Collections.rotate(ways, -(failures.get() % ways.size()));
            return new StreamRequest().via(ways.toArray(NodeAddress[]::new)).to(place.mover()).services(options.services().toArray(String[]::new));
        }

        @Override
        public void close() {
            store.close();
            watch.interrupt();
        }
    }
}
