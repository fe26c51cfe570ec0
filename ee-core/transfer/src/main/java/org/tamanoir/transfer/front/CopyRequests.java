package org.tamanoir.transfer.front;

import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.http.EventStream;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.transfer.copy.CopyOptions;
import org.tamanoir.transfer.front.FrontAccess.Right;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.web.WebClient;

/** COPY: 202 at once, markers while it goes on, and a last line that says what has come of it. Whoever hangs up ends it; what has come stays for the next one. */
final class CopyRequests implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CopyRequests.class);
    /** As the other programs do. */
    static final long MARKER_SECONDS = 5;
    private static final long LAST_WORDS_SECONDS = 5;
    /** Of the streams that are free a copy gets this part, so that there is always one for the next. */
    private static final int SHARE = 4;

    private final LocalStore files;
    private final FrontAccess access;
    private final WebClient web;
    private final TamanoirClient client = new TamanoirClient();
    private final LongConsumer moved;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> daemon(task, "mover copy"));
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "mover markers"));
    private final Set<CopyWork> running = ConcurrentHashMap.newKeySet();
    /** Guarded by this. */
    private int free;

    /** @param moved is told how many octets have come or left */
    CopyRequests(LocalStore files, FrontAccess access, WebClient web, int streams, LongConsumer moved) {
        this.files = files;
        this.access = access;
        this.web = web;
        this.free = streams;
        this.moved = moved;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    int running() {
        return running.size();
    }

    Response copy(Request request) {
        String path = request.parameter("path");
        CopyRequest asked = CopyRequest.of(request.headers());
        access.check(request, asked.pull() ? Right.CREATE : Right.READ, path);
        Resource resource = Resource.of(files, path);
        if (asked.pull()) {
            if (resource.exists()) {
                access.check(request, Right.MODIFY, path);
            }
            if (resource.exists() && !asked.overwrite()) {
                throw new HttpError(412, ErrorCode.CHANGED_MEANWHILE, "'/" + path + "' is there already, and shall not be overwritten");
            }
        } else {
            resource.existing();
        }
        if (resource.isDirectory() || path.isEmpty()) {
            throw new HttpError(409, ErrorCode.BAD_REQUEST, "'/" + path + "' is a directory; files are copied one by one");
        }
        WebClient shown = web.with(asked.fields());
        synchronized (this) {
            if (free == 0) {
                throw busy();
            }
        }
        LOG.info("{}: {} {}", path, asked.pull() ? "pulled from" : "pushed to", withoutQueries(asked.other().toString()));
        return Response.text(202, "text/perf-marker-stream", stream -> threads.execute(() -> run(stream, resource, asked, shown)));
    }

    private static AnepException busy() {
        return new AnepException(ErrorCode.BUSY, "as many copies are under way as there is memory for; try again");
    }

    private synchronized int take(int wanted) {
        int taken = Math.min(free, Math.max(1, Math.min(wanted, free / SHARE)));
        free -= taken;
        return taken;
    }

    private synchronized void giveBack(int streams) {
        free += streams;
    }

    private void run(EventStream stream, Resource resource, CopyRequest asked, WebClient shown) {
        boolean put = !asked.pull() && asked.other().isWeb();
        int streams = take(put ? 1 : asked.streams() == 0 ? CopyOptions.STREAMS : Math.min(asked.streams(), CopyOptions.STREAMS));
        CopyWork work = put ? new CopyWork.ByPut(resource, asked, shown) : new CopyWork.ByExtents(files, resource.path(), asked, Math.max(1, streams), client, shown);
        running.add(work);
        stream.onClose(() -> work.stop(new AnepException(ErrorCode.CONNECTION_LOST, "whoever asked for the copy has hung up")));
        ScheduledFuture<?> markers = clock.scheduleAtFixedRate(() -> mark(stream, work), MARKER_SECONDS, MARKER_SECONDS, TimeUnit.SECONDS);
        String last;
        try {
            if (streams == 0) {
                throw busy();
            }
            work.run();
            last = "success: Created\n";
        } catch (AnepException e) {
            last = failure(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            last = failure(new AnepException(ErrorCode.STOPPING, "the mover stops", e));
        } catch (RuntimeException e) {
            LOG.error("{} cannot be copied", resource.path(), e);
            last = failure(new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        } finally {
            markers.cancel(false);
            giveBack(streams);
            moved.accept(work.moved());
        }
        LOG.info("{}: {}", resource.path(), withoutQueries(last.strip()));
        synchronized (work) {
            running.remove(work);
            stream.text(last);
            stream.close();
        }
    }

    /** Nothing is said behind the last line. */
    private void mark(EventStream stream, CopyWork work) {
        synchronized (work) {
            if (running.contains(work)) {
                stream.text(marker(Instant.now(), work.moved()));
            }
        }
    }

    /** Of URLs: what they have there may let in whoever reads it. */
    private static String withoutQueries(String text) {
        return text.replaceAll("\\?[^\\s']*", "?…");
    }

    /** One line, whatever the other server has said: that of an exception has no others. */
    static String failure(AnepException why) {
        return "failure: " + why.getMessage() + "\n";
    }

    /** What FTS and davix read: the file is one stripe. */
    static String marker(Instant now, long octets) {
        return "Perf Marker\n    Timestamp: " + now.getEpochSecond() + "\n    Stripe Index: 0\n    Stripe Bytes Transferred: " + octets + "\n    Total Stripe Count: 1\nEnd\n";
    }

    /** Ends the copies that are under way, each with its last line. */
    @Override
    public void close() {
        running.forEach(work -> work.stop(new AnepException(ErrorCode.STOPPING, "the mover stops")));
        threads.shutdown();
        try {
            threads.awaitTermination(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        clock.shutdownNow();
    }

    /** After the server: what its last requests used. */
    void release() {
        client.close();
    }
}
