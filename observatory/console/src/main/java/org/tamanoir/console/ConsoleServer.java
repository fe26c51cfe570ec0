package org.tamanoir.console;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.console.board.History;
import org.tamanoir.console.gather.Gatherer;
import org.tamanoir.http.AccessRoles;
import org.tamanoir.http.AccessRoles.Grant;
import org.tamanoir.http.AccessRoles.Role;
import org.tamanoir.http.Guard;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Route;
import org.tamanoir.identity.Identity;

/** A console that is no node's own. */
public final class ConsoleServer implements AutoCloseable {
    /** Of the history, as it is of many nodes. */
    private static final long HISTORY_OCTETS = 64 << 20;
    private static final int WORKERS = 4;
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleServer.class);

    /**
     * How it is served.
     *
     * @param token    that readers on other machines show; null for none
     * @param names    of certificates whose owners may look
     * @param identity for TLS; null for none
     * @param record   a file to which the history is added, part by part; null for none
     */
    public record Settings(InetSocketAddress listen, String token, List<String> names, Identity identity, Path record) {
    }

    private final Supplier<Map<String, Map<String, Object>>> source;
    private final OutputStream record;
    private final History history;
    private final Console console;
    private final HttpServer server;

    private ConsoleServer(Settings settings, Supplier<Map<String, Map<String, Object>>> source) {
        this.source = source;
        this.record = settings.record == null ? null : open(settings.record);
        this.history = new History(History.MILLIS, HISTORY_OCTETS, record == null ? part -> { } : this::record);
        this.console = new Console(source, history);
        AccessRoles access = new AccessRoles(() -> List.of(new Grant(Role.READ, settings.token, settings.names)), () -> true);
        Guard read = access.to(Role.READ);
        List<Route> routes = new ArrayList<>(new ConsoleApi(console).routes(read));
        if (source instanceof Gatherer gatherer) {
            routes.addAll(gatherer.routes(read));
        }
        HttpServer.Builder builder = HttpServer.at(settings.listen).name("tamanoir-console").workers(WORKERS).route(routes.toArray(Route[]::new));
        server = (settings.identity == null ? builder : builder.tls(settings.identity.sslContext(any -> false), false, Identity::names)).start();
    }

    /** Serves what there is to be seen. @throws AnepException EE-502, or EE-501 if the recording cannot be written */
    public static ConsoleServer start(Settings settings, Supplier<Map<String, Map<String, Object>>> source) {
        return new ConsoleServer(settings, source);
    }

    private static OutputStream open(Path file) {
        try {
            return Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " cannot be written: " + AnepException.reason(e), e);
        }
    }

    /** Parts that are over; what is compressed in pieces is read as one. */
    private void record(byte[] part) {
        try {
            record.write(part);
        } catch (IOException e) {
            // Who watches must not lose the feed for it; the file lacks this minute.
            LOG.error("{}: the recording lacks a part: {}", ErrorCode.STORAGE, AnepException.reason(e));
        }
    }

    public String url() {
        return server.url();
    }

    @Override
    public void close() {
        console.close();
        server.close();
        history.close();
        try {
            if (record != null) {
                record.close();
            }
            if (source instanceof AutoCloseable closeable) {
                closeable.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("the console does not close", e);
        }
    }
}
