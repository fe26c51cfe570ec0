package org.tamanoir.benchmarks.survive;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Waiting;

/**
 * Programs that know nothing of nodes, and their server, on one thread. Each end of a connection sends as much as it is told, and compares every octet that
 * comes with the one that was sent.
 */
final class Conversations implements AutoCloseable {
    /** For {@link #send}: until it is told otherwise. */
    static final long ENDLESS = Long.MAX_VALUE / 2;
    private static final int PIECE = 64 << 10;
    /** A prime: what is lost or comes twice in pieces of an even size is seen. */
    private static final int PERIOD = 65_521;
    private static final int LOOK_MILLIS = 10;
    private static final int BACKLOG = 1024;

    private final ByteBuffer pattern = pattern();
    private final ByteBuffer came = ByteBuffer.allocateDirect(PIECE);
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();
    private final List<End> programs = new ArrayList<>();
    private final List<End> servers = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "conversations");
    private String failure;
    private volatile boolean closed;

    /** Which ends. */
    enum Side { PROGRAMS, SERVERS }

    /** One end of a connection. */
    private final class End {
        private final SocketChannel channel;
        private final SelectionKey key;
        /** Of the connection, in front of everything that a program sends. */
        private final ByteBuffer name = ByteBuffer.allocate(Integer.BYTES);
        private final boolean program;
        private End other;
        private long allowed;
        private long sent;
        private long received;
        private boolean reads = true;
        private boolean finishing;
        private boolean finished;
        private boolean ended;
        private long heard;
        private long longestPause;

        End(SocketChannel channel, boolean program) throws IOException {
            this.channel = channel;
            this.program = program;
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
            key = channel.register(selector, 0, this);
        }

        void handle() throws IOException {
            if (key.isReadable()) {
                read();
            }
            if (key.isWritable()) {
                write();
            }
            update();
        }

        void update() throws IOException {
            if (!channel.isOpen()) {
                return;
            }
            // A server learns to whom it speaks first.
            boolean writes = name.hasRemaining() ? program : sent < allowed;
            if (finishing && !finished && !writes) {
                finished = true;
                channel.shutdownOutput();
            }
            key.interestOps((reads && !ended ? SelectionKey.OP_READ : 0) | (writes ? SelectionKey.OP_WRITE : 0));
        }

        private void write() throws IOException {
            if (name.hasRemaining()) {
                channel.write(name);
            } else {
                sent += channel.write(octets(!program, sent, (int) Math.min(PIECE, allowed - sent)));
            }
        }

        private void read() throws IOException {
            if (!program && name.hasRemaining()) {
                if (channel.read(name) < 0) {
                    throw new IOException("it ended before it began");
                } else if (!name.hasRemaining()) {
                    other = programs.get(name.getInt(0));
                    other.other = this;
                }
                return;
            }
            int count = channel.read(came.clear());
            if (count < 0) {
                ended = true;
                if (received != other.sent) {
                    throw new IOException(received + " octets have come, and " + other.sent + " were sent");
                }
            } else if (came.flip().mismatch(octets(program, received, count)) >= 0) {
                throw new IOException("what has come after " + received + " octets is not what was sent");
            } else if (count > 0) {
                received += count;
                long now = System.nanoTime();
                longestPause = Math.max(longestPause, now - heard);
                heard = now;
            }
        }

        /** What is sent to the program, or to the server. */
        private ByteBuffer octets(boolean toProgram, long from, int count) {
            return pattern.slice((int) ((from + 31L * (program ? this : other).name.getInt(0) + (toProgram ? 1 : 0)) % PERIOD), count);
        }
    }

    /** Listens on a free port of loopback. */
    Conversations() throws IOException {
        selector = Selector.open();
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        thread.setDaemon(true);
        thread.start();
    }

    private static ByteBuffer pattern() {
        byte[] period = new byte[PERIOD];
        new Random(PERIOD).nextBytes(period);
        return ByteBuffer.allocateDirect(PERIOD + PIECE).put(period).put(period).put(period, 0, PIECE - PERIOD).clear();
    }

    // The thread.

    private void run() {
        while (!closed) {
            try {
                selector.select(key -> handle(key), LOOK_MILLIS);
            } catch (IOException e) {
                failed("the server: " + e.getMessage());
            }
            for (Runnable next = asked.poll(); next != null; next = asked.poll()) {
                next.run();
            }
        }
    }

    private void handle(SelectionKey key) {
        if (!(key.attachment() instanceof End end)) {
            accept();
            return;
        }
        try {
            end.handle();
        } catch (IOException e) {
            failed((end.program ? "a program: " : "a server: ") + e.getMessage());
            key.cancel();
        }
    }

    private void accept() {
        try {
            for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
                End end = new End(channel, false);
                servers.add(end);
                end.update();
            }
        } catch (IOException e) {
            failed("the server: " + e.getMessage());
        }
    }

    private void failed(String why) {
        failure = failure == null ? why : failure;
    }

    /** Asks on the thread. @throws LabException if an end has failed */
    private <T> T ask(Function<Stream<End>, T> what) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        asked.add(() -> {
            try {
                if (failure != null) {
                    throw new LabException(failure);
                }
                answer.complete(what.apply(Stream.concat(programs.stream(), servers.stream())));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        selector.wakeup();
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted", e);
        } catch (ExecutionException e) {
            throw new LabException(e.getCause().getMessage(), e);
        }
    }

    private interface Step {
        void on(End end) throws IOException;
    }

    private void each(Side side, Step step) {
        ask(ends -> {
            ends.filter(end -> side == null || end.program == (side == Side.PROGRAMS)).forEach(end -> {
                try {
                    step.on(end);
                    end.update();
                } catch (IOException e) {
                    throw new LabException(e.getMessage(), e);
                }
            });
            return null;
        });
    }

    private void await(Duration patience, String what, Predicate<End> done) {
        Waiting.until(patience, LOOK_MILLIS, () -> ask(ends -> ends.filter(done.negate()).count()), count -> count == 0,
                count -> count + " ends of connections " + what + " after " + patience.toSeconds() + " s");
    }

    // What they do.

    /** Where the server listens. */
    InetSocketAddress server() {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    /** Some more programs connect, all at once. Returns when the server has heard each. @throws LabException if it does not */
    void open(InetSocketAddress gateway, int count, Duration patience) {
        for (int i = 0; i < count; i++) {
            ask(ends -> {
                try {
                    End end = new End(SocketChannel.open(gateway), true);
                    end.name.putInt(0, programs.size());
                    programs.add(end);
                    end.update();
                    return null;
                } catch (IOException e) {
                    throw new LabException("a program cannot connect: " + e.getMessage(), e);
                }
            });
        }
        await(patience, "have no other end", end -> end.other != null);
    }

    /** Sends so many octets more on each connection than it has. */
    void send(Side side, long octets) {
        each(side, end -> end.allowed = end.sent + octets);
    }

    /** Takes what comes, or nothing. */
    void read(Side side, boolean on) {
        each(side, end -> end.reads = on);
    }

    /** Waits until each end has so many octets. @throws LabException if it does not */
    void awaitArrived(long octets, Duration patience) {
        await(patience, "have less than " + octets + " octets", end -> end.received >= octets);
    }

    /** Octets that have come to one side, on all connections. */
    long arrived(Side side) {
        return ask(ends -> ends.filter(end -> end.program == (side == Side.PROGRAMS)).mapToLong(end -> end.received).sum());
    }

    /** From now on the longest time in which nothing came counts. */
    void watchPauses() {
        long now = System.nanoTime();
        each(null, end -> {
            end.heard = now;
            end.longestPause = 0;
        });
    }

    /**
     * Waits until something comes on each connection.
     *
     * @return seconds for which nothing came since {@link #watchPauses}, the longest of each program, in order
     */
    List<Double> awaitPauses(Duration patience) {
        long now = System.nanoTime();
        await(patience, "have heard nothing", end -> !end.program || end.heard > now);
        return ask(ends -> ends.filter(end -> end.program).map(end -> end.longestPause / 1e9).sorted().toList());
    }

    /** Ends all connections when everything has arrived that was sent. @throws LabException if an octet is missing, or another one */
    void finish(Duration patience) {
        each(null, end -> {
            end.reads = true;
            end.finishing = true;
            end.allowed = end.sent;
        });
        await(patience, "have not ended", end -> end.ended && end.finished);
        each(null, end -> end.channel.close());
        ask(ends -> {
            programs.clear();
            servers.clear();
            return null;
        });
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
