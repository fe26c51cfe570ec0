package org.tamanoir.node.worker;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PlainText;
import org.tamanoir.node.service.HandlerNews;
import org.tamanoir.node.service.WorkerCounts.Reason;
import org.tamanoir.node.service.WorkerLimits;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;

/**
 * One program of a service. A thread starts it, reads what it says and lives as long as it does, as the sandbox needs it; a second one gives it what was written. What it
 * says waits for the handler up to {@link HandlerNews#HIGH}, then it has to wait; what is written waits up to {@link Worker#MOST_WAITING}.
 */
final class ServiceWorker implements Worker {
    /** Octets that are read and written at once: as many as a pipe holds (pipe(7)). */
    private static final int PIECE = 64 * 1024;
    /** Of what it writes to its standard error the end is kept. */
    private static final int LAST_WORDS = 4096;
    /** And read at once, so that one that never stops costs the others nothing. */
    private static final int MOST_WORDS = 16 * PIECE;
    private static final int SHOWN_WORDS = 300;
    private static final int FIRST_SIGNAL = 128;
    private static final Logger LOG = LoggerFactory.getLogger(ServiceWorker.class);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String name;
    private final List<String> command;
    private final WorkerLimits limits;
    private final WorkerHandler handler;
    private final BiConsumer<ServiceWorker, Reason> over;
    private final HandlerNews news;
    private final int number = NUMBERS.incrementAndGet();
    private final StringBuilder words = new StringBuilder();

    private final Deque<ByteBuf> input = new ArrayDeque<>();
    private long waiting;
    private boolean toldFull;
    private boolean finishes;
    private boolean deaf;
    private boolean paused;
    private boolean waitsForService;
    private Process process;
    private Reason ends;
    private AnepException why;
    private boolean ended;
    private volatile long lastAct = System.nanoTime();

    private enum Event { WRITABLE }

    private record Closed(AnepException why) {
    }

    /** @param over told once, why it has ended */
    ServiceWorker(String name, List<String> command, WorkerLimits limits, WorkerHandler handler, Executor tasks, BiConsumer<ServiceWorker, Reason> over) {
        this.name = name;
        this.command = command;
        this.limits = limits;
        this.handler = handler;
        this.over = over;
        this.news = new HandlerNews(tasks, this::call, this::wake, this::abort);
    }

    void begin() {
        start("tamanoir-worker-", this::run);
    }

    /** Threads of the node, also where a call of a service makes them. */
    private void start(String prefix, Runnable task) {
        Thread thread = new Thread(null, task, prefix + number, 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    // What the service does.

    @Override
    public boolean write(ByteBuf octets) {
        synchronized (this) {
            if (ended || ends != null || finishes || deaf) {
                octets.release();
                return true;
            }
            if (waiting == 0) {
                // It had nothing to do until now.
                lastAct = System.nanoTime();
            }
            waiting += octets.readableBytes();
            input.add(octets);
            notifyAll();
            if (waiting > MOST_WAITING) {
                end(Reason.STOPPED, new AnepException(ErrorCode.SERVICE_BAD_OUTPUT, "the service has written " + waiting + " octets to " + name + ", which takes none"));
            }
            return hasRoom();
        }
    }

    @Override
    public synchronized long waiting() {
        return waiting;
    }

    @Override
    public synchronized boolean isWritable() {
        return hasRoom();
    }

    private boolean hasRoom() {
        boolean room = waiting < HandlerNews.HIGH;
        toldFull |= !room;
        return room;
    }

    @Override
    public synchronized void finish() {
        if (!finishes) {
            finishes = true;
            lastAct = System.nanoTime();
            notifyAll();
        }
    }

    @Override
    public synchronized void pause(boolean pauses) {
        paused = pauses;
        notifyAll();
    }

    @Override
    public void abort() {
        end(Reason.STOPPED, new AnepException(ErrorCode.WORKER_FAILED, "the service has ended " + name));
    }

    /** The service stops: it is told nothing more. */
    void forget() {
        news.forget();
        abort();
    }

    private synchronized void wake() {
        notifyAll();
    }

    // The program.

    private synchronized void end(Reason reason, AnepException cause) {
        if (ends != null || ended) {
            return;
        }
        ends = reason;
        why = cause;
        dropInput();
        notifyAll();
        if (process != null) {
            // By its handle, since the process itself would close its streams while they are read.
            process.toHandle().destroyForcibly();
        }
    }

    private void dropInput() {
        input.forEach(ByteBuf::release);
        input.clear();
        waiting = 0;
    }

    private void run() {
        Process started;
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().keySet().removeIf(each -> !each.equals("PATH"));
            started = builder.start();
        } catch (IOException e) {
            over(Reason.FAILED, new AnepException(ErrorCode.WORKER_FAILED, name + " cannot be started: " + e.getMessage(), e));
            return;
        }
        synchronized (this) {
            process = started;
            if (ends != null) {
                process.toHandle().destroyForcibly();
            }
        }
        start("tamanoir-worker-in-", () -> give(started.getOutputStream()));
        byte[] piece = new byte[PIECE];
        try {
            InputStream output = started.getInputStream();
            for (int length = output.read(piece); length >= 0; length = output.read(piece)) {
                lastAct = System.nanoTime();
                news.tell(Unpooled.copiedBuffer(piece, 0, length));
                awaitRoom();
            }
            // One that has closed its output and goes on has its input, until that is closed; then it stalls.
            started.waitFor();
        } catch (IOException | InterruptedException e) {
            end(Reason.FAILED, new AnepException(ErrorCode.WORKER_FAILED, name + " cannot be read from: " + e.getMessage(), e));
        }
        listen(started);
        String said = lastWords();
        AnepException cause;
        synchronized (this) {
            if (ends == null) {
                int exit = started.exitValue();
                ends = exit == 0 ? Reason.FINISHED : Reason.FAILED;
                cause = exit == 0 ? null : new AnepException(ErrorCode.WORKER_FAILED, name + status(exit) + said);
            } else {
                cause = new AnepException(why.code(), why.text() + said);
            }
        }
        over(ends, cause);
    }

    private synchronized void awaitRoom() throws InterruptedException {
        while (ends == null && (paused || news.isFull())) {
            waitsForService = true;
            wait();
        }
        if (waitsForService) {
            waitsForService = false;
            lastAct = System.nanoTime();
        }
    }

    private static String status(int exit) {
        return exit > FIRST_SIGNAL ? " was ended by signal " + (exit - FIRST_SIGNAL) : " has ended with status " + exit;
    }

    private void over(Reason reason, AnepException cause) {
        synchronized (this) {
            ended = true;
            dropInput();
            notifyAll();
        }
        over.accept(this, reason);
        news.tell(new Closed(cause));
    }

    /** Gives it what was written, until it takes no more. */
    private void give(OutputStream to) {
        try (to) {
            for (ByteBuf next = take(); next != null; next = take()) {
                try {
                    while (next.isReadable()) {
                        int length = Math.min(PIECE, next.readableBytes());
                        next.readBytes(to, length);
                        to.flush();
                        taken(length);
                    }
                } finally {
                    next.release();
                }
            }
        } catch (IOException e) {
            // What it has to say about that comes by its output and its status.
            synchronized (this) {
                deaf = true;
                dropInput();
            }
        } catch (InterruptedException e) {
            abort();
        }
    }

    private synchronized ByteBuf take() throws InterruptedException {
        while (input.isEmpty() && !finishes && !ended && ends == null) {
            wait();
        }
        return input.poll();
    }

    private void taken(int length) {
        boolean roomy;
        synchronized (this) {
            lastAct = System.nanoTime();
            waiting = Math.max(0, waiting - length);
            roomy = toldFull && waiting < HandlerNews.LOW;
            toldFull &= !roomy;
        }
        if (roomy) {
            news.tell(Event.WRITABLE);
        }
    }

    private void call(Object what) {
        if (what instanceof ByteBuf octets) {
            handler.onOctets(this, octets);
        } else if (what instanceof Closed closed) {
            handler.onClosed(this, closed.why());
        } else {
            handler.onWritable(this);
        }
    }

    // What the node looks at.

    /** Looks what it takes and whether it does anything; now and then, on one thread. */
    void look() {
        Process looked;
        boolean owes;
        boolean ending;
        synchronized (this) {
            looked = process;
            ending = ends != null;
            owes = !waitsForService && (waiting > 0 || finishes);
        }
        if (looked == null) {
            return;
        }
        if (ending) {
            sweep(looked);
            return;
        }
        listen(looked);
        long memory = ProcessTree.memory(looked.pid());
        if (memory > limits.memoryBytes()) {
            end(Reason.MEMORY, new AnepException(ErrorCode.WORKER_FAILED, name + " was ended: it took " + memory + " octets of memory and may have " + limits.memoryBytes()
                    + " (workers: memory-bytes of the policy)"));
        } else if (owes && System.nanoTime() - lastAct > limits.stall().toNanos()) {
            end(Reason.STALLED, new AnepException(ErrorCode.WORKER_FAILED, name + " was ended: it has done nothing for " + limits.stall().toMillis()
                    + " ms (workers: stall of the policy)"));
        }
    }

    /** Ends what is left of it when the service stops with its node. */
    void sweep() {
        Process left;
        synchronized (this) {
            left = ended ? null : process;
        }
        if (left != null) {
            sweep(left);
        }
    }

    /**
     * Ends all processes of its group. Its first one has been killed, and takes the others with it, but for some milliseconds of its start: a second process of
     * bubblewrap has not asked yet to end with the first one.
     */
    private static void sweep(Process of) {
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -s KILL -- -" + of.pid()).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        } catch (IOException e) {
            LOG.warn("what is left of a worker cannot be ended: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes what it has written to its standard error. */
    private void listen(Process to) {
        synchronized (words) {
            try {
                InputStream errors = to.getErrorStream();
                for (int read = 0; read < MOST_WORDS; ) {
                    int there = Math.min(errors.available(), PIECE);
                    if (there <= 0) {
                        return;
                    }
                    byte[] said = errors.readNBytes(there);
                    read += said.length;
                    words.append(new String(said, StandardCharsets.UTF_8));
                    words.delete(0, Math.max(0, words.length() - LAST_WORDS));
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    /** The end of what it has written to its standard error, in one line; empty if that is nothing. */
    private String lastWords() {
        synchronized (words) {
            String said = PlainText.of(words.toString().strip());
            return said.isEmpty() ? "" : ", and said: " + (said.length() > SHOWN_WORDS ? "… " + said.substring(said.length() - SHOWN_WORDS) : said);
        }
    }
}
