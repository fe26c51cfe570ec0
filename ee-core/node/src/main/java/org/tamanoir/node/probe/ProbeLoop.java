package org.tamanoir.node.probe;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.kernel.DatagramBatch;
import org.tamanoir.node.probe.ProbeService.ProbeCounters;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/** The one thread of a node's probes: it sends what is due, takes what comes back, and answers the probes of others. */
final class ProbeLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ProbeLoop.class);
    private static final long IDLE = 3_600_000_000_000L;
    private static final long ESTIMATE_AGE = 1_000_000_000L;
    /** After an error, so that one that stays does not take a processor. */
    private static final long PAUSE = 100;
    private static final int RECEIVED_AT_ONCE = 64;
    private static final int MOST_BATCHES = 4;
    private static final int MOST_LOOKS = 10;
    /** How long it does not look for answers when all that it saw was forged or late: what comes meanwhile is the kernel's to keep or drop. */
    private static final long REST = 1_000_000L;

    /** A train that waits to be taken over. */
    private record Order(Train train, Consumer<Answers> done) {
    }

    private final ProbeSockets sockets;
    private final ProbeSockets.Socket sender;
    private final Reflector reflector;
    private final ProbeCounters counters;
    private final TrainTable trains = new TrainTable(new SecureRandom());
    private final Queue<Order> orders = new ConcurrentLinkedQueue<>();
    private final DatagramBatch outgoing = new DatagramBatch(Train.MOST_PACKETS);
    private final DatagramBatch incoming = new DatagramBatch(RECEIVED_AT_ONCE);
    private final List<ProbeSockets.Socket> heard = new ArrayList<>();
    private volatile boolean closing;
    private int errorEstimate;
    private long estimated = System.nanoTime() - ESTIMATE_AGE;
    private long restsUntil = System.nanoTime();
    private boolean failed;

    /** @param reflector null for none */
    ProbeLoop(ProbeSockets sockets, Reflector reflector, ProbeCounters counters) throws IOException {
        this.sockets = sockets;
        this.reflector = reflector;
        this.counters = counters;
        this.sender = sockets.open(new InetSocketAddress(0));
    }

    /** Any thread. */
    void send(Train train, Consumer<Answers> done) {
        orders.add(new Order(train, done));
        sockets.wake();
    }

    /** Any thread; the loop ends soon. */
    void stop() {
        closing = true;
        sockets.wake();
    }

    @Override
    public void run() {
        while (!closing) {
            try {
                turn();
                failed = false;
            } catch (IOException | RuntimeException e) {
                failed(e);
            }
        }
    }

    private void turn() throws IOException {
        long now = System.nanoTime();
        heard.clear();
        long until = Math.min(trains.next(), now + IDLE);
        if (restsUntil <= now) {
            heard.add(sender);
        } else {
            until = Math.min(until, restsUntil);
        }
        if (reflector != null && reflector.restsUntil() <= now) {
            heard.add(reflector.socket());
        } else if (reflector != null) {
            until = Math.min(until, reflector.restsUntil());
        }
        if (orders.isEmpty()) {
            sockets.await(heard, until - now);
        }
        for (Order order = orders.poll(); order != null; order = orders.poll()) {
            trains.add(order.train, order.done, System.nanoTime());
        }
        sendDue();
        if (restsUntil <= now) {
            receive(now);
        }
        trains.end(System.nanoTime());
        now = System.nanoTime();
        if (reflector != null && reflector.restsUntil() <= now) {
            reflector.turn(now, errorEstimate(now));
        }
    }

    private void sendDue() throws IOException {
        long now = System.nanoTime();
        int count = trains.write(outgoing, errorEstimate(now), now);
        if (count > 0) {
            int sent = 0;
            try {
                sent = sender.send(outgoing, count);
            } finally {
                trains.sent(outgoing, offset());
                counters.sent().add(sent);
            }
        }
    }

    /** At most so many batches: a flood of forged answers keeps nothing else from its turn. */
    private void receive(long now) throws IOException {
        int matched = 0;
        for (int batches = 0; batches < MOST_BATCHES; batches++) {
            int count = sender.receive(incoming);
            long offset = offset();
            for (int i = 0; i < count; i++) {
                if (trains.received(incoming, i, offset)) {
                    matched++;
                } else {
                    counters.unmatched().increment();
                }
            }
            if (count < incoming.capacity()) {
                counters.received().add(matched);
                return;
            }
        }
        counters.received().add(matched);
        if (matched == 0) {
            restsUntil = now + REST;
        }
    }

    /** Of the wall clock before the steady one: it changes when somebody sets the former. */
    private static long offset() {
        return offset(System::nanoTime, ChannelSockets::now);
    }

    /** A thread that has to wait between two clocks has read them at two times, and would take that for a clock that was set: then it reads them again. */
    static long offset(LongSupplier steady, LongSupplier wall) {
        long least = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < MOST_LOOKS && least > RunningTrain.NOISE; i++) {
            long before = steady.getAsLong();
            long time = wall.getAsLong();
            long taken = steady.getAsLong() - before;
            if (taken < least) {
                least = taken;
                offset = time - before - taken / 2;
            }
        }
        return offset;
    }

    private int errorEstimate(long now) {
        if (now - estimated >= ESTIMATE_AGE) {
            errorEstimate = sockets.errorEstimate();
            estimated = now;
        }
        return errorEstimate;
    }

    private void failed(Exception e) {
        if (!failed && !closing) {
            LOG.warn("probes: {}", e.toString(), e);
        }
        failed = true;
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException interrupted) {
            closing = true;
        }
    }
}
