package org.tamanoir.services.transcode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;
import org.tamanoir.service.worker.Workers.Program;
import org.tamanoir.services.transcode.Settings.OnFailure;

/**
 * One size of a live stream: an encoder, which begins with a key frame, and those who get what it makes. An encoder that is too slow loses pictures up to the next
 * key frame; one that fails is followed by another, or by what the operator says. Any thread.
 */
final class Feed implements WorkerHandler {
    static final String PROGRAM = "ffmpeg";
    /** What may wait for the encoder: what has come in so much time, or this at least. */
    private static final long MOST_WAIT_NANOS = 300_000_000L;
    private static final int LEAST_WAITING = 96 * 1024;

    private final ServiceContext service;
    private final Settings settings;
    private final LiveCounters counters;
    private final Rung rung;
    private final List<Outlet> outlets = new CopyOnWriteArrayList<>();
    private final Restarts restarts = new Restarts();
    private final KeyFrameGate gate = new KeyFrameGate();
    private TransportStream made;
    private Worker worker;
    private long startAt;
    private boolean passes;
    private boolean over;
    private boolean ended;
    private int failures;
    private String problem;
    private long windowBegan;
    private long windowOctets;
    private long mostWaiting = LEAST_WAITING;

    Feed(ServiceContext service, Settings settings, LiveCounters counters, Rung rung) {
        this.service = service;
        this.settings = settings;
        this.counters = counters;
        this.rung = rung;
        this.passes = rung.passes();
        this.startAt = service.nanoTime();
    }

    synchronized void add(Outlet outlet) {
        if (ended) {
            outlet.end(null);
        }
        outlets.add(outlet);
    }

    /** @return whether nobody is left */
    synchronized boolean remove(Outlet outlet) {
        outlets.remove(outlet);
        if (outlets.isEmpty()) {
            stop();
        }
        return outlets.isEmpty();
    }

    /** Nobody wants it any more. */
    private void stop() {
        Worker left = worker;
        worker = null;
        over = true;
        if (left != null) {
            left.abort();
        }
    }

    int receivers() {
        return outlets.size();
    }

    /** A run of the source. @param packets lent @param tables of the source */
    synchronized void give(ByteBuf packets, boolean key, Supplier<byte[]> tables) {
        if (passes) {
            outlets.forEach(outlet -> outlet.offer(packets, key, tables));
            return;
        }
        int length = packets.readableBytes();
        long now = service.nanoTime();
        measure(now, length);
        if (over || worker == null && !(key && now - startAt >= 0 && starts(now))) {
            return;
        }
        if (!gate.passes(key, worker.waiting() <= mostWaiting, length)) {
            counters.droppedForEncoder(length);
            return;
        }
        if (gate.hasJustOpened()) {
            worker.write(Unpooled.wrappedBuffer(tables.get()));
        }
        worker.write(packets.retainedSlice());
    }

    private void measure(long now, int length) {
        windowOctets += length;
        if (now - windowBegan >= MOST_WAIT_NANOS) {
            mostWaiting = Math.max(LEAST_WAITING, windowOctets * MOST_WAIT_NANOS / (now - windowBegan));
            windowBegan = now;
            windowOctets = 0;
        }
    }

    /** Starts an encoder. @return whether there is one */
    private boolean starts(long now) {
        try {
            restarts.started(now);
            made = new TransportStream();
            gate.shut();
            worker = service.workers().start(new Program(PROGRAM, rung.arguments(true, settings.codec(), settings.audio())), this);
            return true;
        } catch (AnepException e) {
            failed(e);
            return false;
        }
    }

    @Override
    public synchronized void onOctets(Worker from, ByteBuf octets) {
        if (from != worker) {
            return;
        }
        try {
            made.take(octets, (packets, key) -> outlets.forEach(outlet -> outlet.offer(packets, key, made::tables)));
        } catch (AnepException e) {
            // What one program makes of one stream is no defect of the service.
            worker = null;
            from.abort();
            failed(e);
        }
    }

    @Override
    public synchronized void onClosed(Worker closed, AnepException why) {
        if (closed != worker) {
            return;
        }
        worker = null;
        if (ended) {
            outlets.forEach(outlet -> outlet.end(why));
        } else {
            failed(why);
        }
    }

    /** An encoder has failed, or has ended while the source goes on, or cannot be started. */
    private void failed(AnepException why) {
        counters.failed();
        failures++;
        problem = why == null ? "the encoder has ended before its source" : why.getMessage();
        long pause = settings.onFailure() == OnFailure.RESTART ? restarts.failed(service.nanoTime()) : 0;
        service.logger().warn("an encoder of {} has failed, {}: {}", rung, pause == Restarts.NEVER ? "too often" : settings.onFailure(), problem);
        outlets.forEach(Outlet::begin);
        switch (settings.onFailure()) {
            case BYPASS -> passes = true;
            case DROP -> over = true;
            default -> {
                if (pause == Restarts.NEVER) {
                    over = true;
                    outlets.forEach(outlet -> outlet.end(why));
                }
                startAt = service.nanoTime() + pause;
            }
        }
    }

    /** The source has ended: what is left in the encoder still comes. */
    synchronized void end(AnepException why) {
        if (ended) {
            return;
        }
        ended = true;
        if (worker != null && why == null) {
            worker.finish();
        } else {
            stop();
            outlets.forEach(outlet -> outlet.end(why));
        }
    }

    synchronized Map<String, Object> shown() {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("size", rung.toString());
        shown.put("receivers", outlets.size());
        shown.put("state", passes ? "passes" : over ? "over" : worker == null ? "waits for a key frame" : "encodes");
        shown.put("failures", failures);
        shown.put("problem", problem == null ? "" : problem);
        shown.put("droppedForEncoder", gate.dropped());
        shown.put("droppedForReceivers", new ArrayList<>(outlets).stream().mapToLong(Outlet::dropped).sum());
        return shown;
    }
}
