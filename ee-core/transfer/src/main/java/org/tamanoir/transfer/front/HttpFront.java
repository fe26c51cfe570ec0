package org.tamanoir.transfer.front;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.tamanoir.http.Handler;
import org.tamanoir.http.HttpLimits;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Route;
import org.tamanoir.identity.Identity;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.web.WebClient;

/** Serves the files of a mover by HTTP. */
public final class HttpFront implements AutoCloseable {
    private static final String ANY = "/{path*}";
    /** Octets that wait to be taken from a connection, beside an extent. */
    private static final int AHEAD = 1 << 20;
    /** Two tokens, of 8 KiB each, and the rest. */
    private static final int HEADER = 32 << 10;
    private static final int LINE = 8 << 10;
    private static final int BODY = 64 << 10;
    /** Bodies that are written at a time. */
    private static final int WRITERS = 16;
    /** Requests that are answered at a time; some read a whole file first. */
    private static final int HANDLERS = 64;

    private final FrontAccess access;
    private final CopyRequests copies;
    private final ThreadPoolExecutor handlers;
    private final HttpServer server;

    private HttpFront(FrontOptions options, LocalStore files, LongConsumer moved) {
        access = new FrontAccess(options);
        WebClient web = WebClient.of(options.identity() == null ? null : options.identity().sslContext(name -> false));
        copies = new CopyRequests(files, access, web, (int) Math.max(1, Math.min(Short.MAX_VALUE, options.memory() / (CopyWork.EXTENT + AHEAD))), moved);
        handlers = new ThreadPoolExecutor(0, HANDLERS, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "mover http");
            thread.setDaemon(true);
            return thread;
        });
        FileRequests requests = new FileRequests(files, access, new Checksums(), moved);
        DavRequests dav = new DavRequests(files, access);
        HttpLimits preset = HttpLimits.DEFAULTS;
        HttpServer.Builder http = HttpServer.at(options.listen()).name("mover-http").workers(WRITERS)
                .limits(new HttpLimits(preset.connections(), preset.connectionsOfPeer(), HEADER, LINE, BODY, preset.bodyMemory(), preset.idle(), preset.bodyGrace(), preset.bodyRate(),
                        preset.lingerOctets(), preset.linger()))
                .route(route("GET", requests::get), route("PUT", requests::put).taking(requests::begin), route("COPY", copies::copy), route("PROPFIND", dav::find),
                        route("OPTIONS", dav::options), route("MKCOL", dav::make), route("DELETE", dav::remove), route("MOVE", dav::move));
        if (options.identity() != null) {
            http.tls(options.identity().sslContext(name -> false), false, Identity::names);
        }
        server = http.start();
    }

    private Route route(String method, Handler handler) {
        return Route.of(method, ANY, handler).on(handlers);
    }

    /**
     * A front that serves.
     *
     * @param files of the mover
     * @param moved is told how many octets have come, or were copied
     * @throws org.tamanoir.anep.AnepException EE-502 if the address cannot be listened on
     */
    public static HttpFront open(FrontOptions options, LocalStore files, LongConsumer moved) {
        return new HttpFront(options, files, moved);
    }

    /** {@code https://HOST:PORT}. */
    public String url() {
        return server.url();
    }

    /** Copies that are under way. */
    public int copies() {
        return copies.running();
    }

    /** Ends copies that are under way, and lets other requests finish for a while. Before the mover. */
    @Override
    public void close() {
        copies.close();
        server.close();
        handlers.shutdown();
        copies.release();
        access.close();
    }
}
