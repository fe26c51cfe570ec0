package org.tamanoir.transfer.copy;

import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.store.Store;

/** One end of a copy: where it looks and what it decides by one store, where its octets go by ports, one for each stream. */
interface End extends AutoCloseable {
    Store store();

    /** A port. @param number of the stream of the copy: those of several movers are dealt in turn @param moved is told how many octets have come or left */
    Port port(int number, LongConsumer moved) throws InterruptedException;

    /** Ports will soon be asked for, as many as a copy has streams: what takes a round trip may begin now. Whoever asks for none has lost nothing. */
    default void expectPorts() {
    }

    /** Lanes from a source to this end will soon be asked for. */
    default void expectLanes(End source) {
        source.expectPorts();
        expectPorts();
    }

    /** How many machines its octets come from or go to. */
    default int width() {
        return 1;
    }

    /** What a stream of a copy to this end uses. @param number of the stream @param copy is told how many octets have gone over */
    default Lane lane(int number, End source, Copy copy) throws InterruptedException {
        boolean here = source instanceof Local;
        // Counted where it is slower than at a disk.
        Port from = source.port(number, here ? octets -> { } : copy::moved);
        try {
            return new Lane(from, port(turn(number, source.width(), width()), here ? copy::moved : octets -> { }));
        } catch (AnepException | InterruptedException e) {
            from.close();
            throw e;
        }
    }

    /** Which machine of a destination a stream goes to, so that streams are shared out evenly to the pairs, and both ends' machines have their turns. */
    static int turn(int number, int sources, int destinations) {
        int common = BigInteger.valueOf(sources).gcd(BigInteger.valueOf(destinations)).intValue();
        return (number + number / (sources / common * destinations)) % destinations;
    }

    /** Of the octets that go to it, so many a second are needed from now on. */
    default void need(long rate) throws InterruptedException {
    }

    /** How many streams it can serve at once. */
    default int mostStreams() {
        return CopyOptions.MOST_STREAMS;
    }

    /** ADLER32 of a file of this end as somebody else has found it; null if nobody has. */
    default String checksum(FileJob file) {
        return null;
    }

    /** Gives its streams up, and opens no more. From any thread. */
    default void stop() {
    }

    @Override
    void close();

    /** A directory of this machine. */
    final class Local implements End {
        private final Store.Octets store;
        private final Runnable close;

        /** With a store of its own. */
        Local(LocalStore files, String copy) {
            this(files.of(copy, () -> { }), files::close);
        }

        /** @param close is called in the end */
        Local(Store.Octets store, Runnable close) {
            this.store = store;
            this.close = close;
        }

        /** With a store that others use too. */
        static Local shared(LocalStore files, String copy) {
            return new Local(files.of(copy, () -> { }), () -> files.leave(copy));
        }

        @Override
        public Store store() {
            return store;
        }

        @Override
        public Port port(int number, LongConsumer moved) {
            return new LocalPort(store, moved);
        }

        @Override
        public void close() {
            close.run();
        }
    }

    /** A mover, or several of the same files. */
    final class Remote implements End {
        /** After so long without an octet a stream that is waited for is given up. */
        private static final long STALL_NANOS = 15_000_000_000L;
        private static final long CHECK_MILLIS = 1_000;

        /** A node at which something failed is tried after the others for so long: one that can be connected to may yet lead nowhere. */
        private static final long AVOIDED_NANOS = 60_000_000_000L;

        /** A stream that was opened ahead and is not asked for is closed after so long: nodes do not wait much longer for its first words. */
        private static final long AHEAD_NANOS = 4_000_000_000L;

        /** A stream that is being opened, to one of the movers by a node. */
        private record Opening(int mover, NodeAddress way, long since, CompletionStage<ClientStream> stream) {
            void close() {
                stream.thenAccept(ClientStream::close);
            }
        }

        private final TamanoirClient client;
        private final Place place;
        private final CopyOptions options;
        private final String copy;
        private final Map<NodeAddress, Long> avoided = new ConcurrentHashMap<>();
        /** Those that are open, and the nodes by which they are. */
        private final Map<MoverPort, NodeAddress> ports = new ConcurrentHashMap<>();
        /** What was opened before a port was asked for. */
        private final Queue<Opening> ahead = new ConcurrentLinkedQueue<>();
        private final Thread watch = new Thread(this::watch, "copy watch");
        private final MoverStore store;
        /** Of each mover for which nodes mark what goes there. */
        private final Map<InetSocketAddress, QosFlow> flows;
        private volatile boolean stopped;

        /** One that octets come from. */
        Remote(TamanoirClient client, Place place, CopyOptions options, String copy) {
            this(client, place, options, copy, Map.of());
        }

        /** One that octets go to. */
        static Remote destination(TamanoirClient client, Place place, CopyOptions options, String copy) {
            return new Remote(client, place, options, copy, QosFlow.isFor(options) ? QosFlow.open(client, options, place.movers()) : Map.of());
        }

        private Remote(TamanoirClient client, Place place, CopyOptions options, String copy, Map<InetSocketAddress, QosFlow> flows) {
            this.flows = flows;
            this.client = client;
            this.place = place;
            this.options = options;
            this.copy = copy;
            this.store = new MoverStore(() -> port(0, octets -> { }), options.patience());
            watch.setDaemon(true);
            watch.start();
        }

        private void watch() {
            try {
                while (true) {
                    Thread.sleep(CHECK_MILLIS);
                    long now = System.nanoTime();
                    ahead.stream().filter(one -> now - one.since > AHEAD_NANOS && ahead.remove(one)).forEach(Opening::close);
                    List<NodeAddress> stalled = ports.keySet().stream().filter(port -> port.isStalled(STALL_NANOS)).map(ports::get).filter(Objects::nonNull).toList();
                    // With those that are waited for go those that are silent because nobody has asked.
                    ports.forEach((port, way) -> {
                        if (stalled.contains(way) && port.isSilent(STALL_NANOS)) {
                            port.abort();
                        }
                    });
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
        public int width() {
            return place.movers().size();
        }

        @Override
        public MoverPort port(int number, LongConsumer moved) throws InterruptedException {
            return port(number, buffers(), moved);
        }

        /** Memory of its own for what comes. */
        private static IntFunction<ByteBuffer> buffers() {
            ByteBuffer[] buffer = {ByteBuffer.allocate(0)};
            return octets -> {
                if (octets > Extent.LARGEST) {
                    throw new AnepException(ErrorCode.TOO_LARGE, "the mover sends " + octets + " octets at once");
                }
                if (buffer[0].capacity() < octets) {
                    buffer[0] = ByteBuffer.allocateDirect(octets);
                }
                return buffer[0].clear().limit(octets);
            };
        }

        /** The same. @param buffers give room for what comes */
        MoverPort port(int number, IntFunction<ByteBuffer> buffers, LongConsumer moved) throws InterruptedException {
            int mover = number % width();
            return port(ahead.stream().filter(one -> one.mover == mover && ahead.remove(one)).findFirst().orElseGet(() -> opening(mover)), buffers, moved);
        }

        private MoverPort port(Opening opening, IntFunction<ByteBuffer> buffers, LongConsumer moved) throws InterruptedException {
            MoverPort port = null;
            try {
                port = new MoverPort(TamanoirClient.await(opening.stream), buffers, opening.mover != 0, moved, this::closed);
                ports.put(port, opening.way);
                port.greet(copy, options.token());
                if (stopped) {
                    port.abort();
                }
                return port;
            } catch (AnepException | InterruptedException e) {
                avoid(opening.way);
                if (port != null) {
                    port.close();
                }
                throw e;
            }
        }

        private Opening opening(int number) {
            InetSocketAddress mover = place.movers().get(number);
            List<NodeAddress> ways = options.via().isEmpty() ? List.of(new NodeAddress(mover, false)) : options.via();
            if (stopped) {
                throw new Refusal(new AnepException(ErrorCode.STOPPING, "the copy has been stopped"));
            }
            long now = System.nanoTime();
            NodeAddress way = ways.stream().min(Comparator.comparingLong(each -> Math.max(0, avoided.getOrDefault(each, now) - now))).orElseThrow();
            return new Opening(number, way, now, client.openAsync(new StreamRequest().via(way).to(mover).services(options.services().toArray(String[]::new))
                    .qosSession(flows.containsKey(mover) ? flows.get(mover).code() : 0)));
        }

        @Override
        public void expectPorts() {
            // One more: the first is for who looks.
            for (int number = 0; number <= Math.min(CopyOptions.MOST_STREAMS, options.streams() * width()); number++) {
                ahead.add(opening(number % width()));
            }
        }

        /** What is written by another mover than the first is entered in the journal of that. */
        @Override
        public Lane lane(int number, End source, Copy copy) throws InterruptedException {
            Lane lane = End.super.lane(number, source, copy);
            if (turn(number, source.width(), width()) == 0) {
                return lane;
            }
            try {
                return new Lane(lane.from(), new StripeSink(lane.to(), port(0, octets -> { })));
            } catch (AnepException | InterruptedException e) {
                lane.close();
                throw e;
            }
        }

        @Override
        public void need(long rate) throws InterruptedException {
            for (QosFlow flow : flows.values()) {
                flow.need(rate / flows.size());
            }
        }

        private void closed(MoverPort port) {
            NodeAddress way = ports.remove(port);
            if (way != null && port.hasFailed()) {
                avoid(way);
            }
        }

        private void avoid(NodeAddress way) {
            avoided.put(way, System.nanoTime() + AVOIDED_NANOS);
        }

        @Override
        public void stop() {
            stopped = true;
            ports.keySet().forEach(MoverPort::abort);
        }

        @Override
        public void close() {
            ahead.forEach(Opening::close);
            store.close();
            watch.interrupt();
            flows.values().forEach(QosFlow::close);
        }
    }
}
