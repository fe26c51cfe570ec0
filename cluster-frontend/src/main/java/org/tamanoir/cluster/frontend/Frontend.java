package org.tamanoir.cluster.frontend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.member.Event;
import org.tamanoir.cluster.plan.Planner;
import org.tamanoir.http.HttpServer;
import org.tamanoir.identity.Identity;
import org.tamanoir.settings.PrivateDirectory;
import org.tamanoir.settings.SettingsWatch;

/**
 * A front-end, from start to stop.
 *
 * <p>What it carries when it is killed stays in the kernel as far as the engine lets it, and the next start goes on from there: back ends of the last plan
 * have a lease to report.
 */
public final class Frontend implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Frontend.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final long begun = System.nanoTime();
    private HttpServer server;

    private Frontend() {
    }

    /**
     * Starts one; when this returns it hears back ends.
     *
     * @param file    read again when it changes: pools, timing and drain; the rest needs a restart. May be null
     * @param engines opens the engine that the configuration asks for
     * @throws AnepException EE-501, EE-502 or EE-904 to EE-907; nothing is left running
     */
    public static Frontend start(FrontendConfiguration configuration, Path file, String token, Function<FrontendConfiguration, Engine> engines) {
        configuration.check();
        Frontend frontend = new Frontend();
        try {
            frontend.assemble(configuration, file, token, engines);
            return frontend;
        } catch (RuntimeException | Error e) {
            frontend.close();
            throw e;
        }
    }

    private void assemble(FrontendConfiguration configuration, Path file, String token, Function<FrontendConfiguration, Engine> engines) {
        if (token == null && (configuration.tls == null || configuration.tls.backEnds.isEmpty())) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "token-file: back ends need a token, so a front-end needs one, or tls with back-ends");
        }
        Identity identity = configuration.tls == null ? null : opened(configuration.tls.identity());
        PlanFile kept = new PlanFile(data(configuration).resolve("plan.json"));
        Map<Event.What, LongAdder> counts = new EnumMap<>(Event.What.class);
        for (Event.What what : Event.What.values()) {
            counts.put(what, new LongAdder());
        }
        String name = name(configuration);
        ClusterState cluster = new ClusterState(name, configuration.cluster(), configuration.timing(), event -> {
            counts.get(event.what()).increment();
            LOG.info("{} {}", event.member(), event.text());
        });
        Engine engine = opened(engines.apply(configuration));
        check(configuration, engine);
        ControlLoop loop = opened(new ControlLoop(cluster, engine, kept));
        FrontendMetrics metrics = new FrontendMetrics(cluster, engine, counts);
        StatusView view = new StatusView(cluster, engine, loop);
        SettingsWatch watch = file == null ? null : opened(new SettingsWatch(file, path -> reread(path, cluster, engine, configuration)));
        server = opened(new FrontendApi(cluster, configuration.listenAddress().getAddress().isLoopbackAddress(), configuration.tls)
                .start(configuration.listenAddress(), token, identity, () -> view.of(first(name, watch)), metrics::scrape));
        // Their lease begins when they can be heard, however long all that has taken.
        cluster.restore(kept.read());
        loop.start();
    }

    private static void reread(Path path, ClusterState cluster, Engine engine, FrontendConfiguration begun) {
        FrontendConfiguration changed = FrontendConfiguration.read(path);
        if (begun.vrrp != null && !changed.cluster().virtualAddresses().equals(begun.cluster().virtualAddresses())) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "pools: directors that take turns get other virtual addresses by a restart, one after the "
                    + "other: each pool keeps those that it had when this front-end started");
        }
        check(changed, engine);
        cluster.configure(changed.cluster(), changed.timing());
    }

    /** Back ends set themselves up for what their front-end says: it must not say what its director cannot do. */
    private static void check(FrontendConfiguration configuration, Engine engine) {
        engine.check(Planner.plan(configuration.cluster(), List.of(), Map.of()));
    }

    private Map<String, Object> first(String name, SettingsWatch watch) {
        Map<String, Object> first = new LinkedHashMap<>();
        first.put("frontend", name);
        first.put("upMillis", Duration.ofNanos(System.nanoTime() - begun).toMillis());
        if (watch != null && watch.refused() != null) {
            first.put("configurationRefused", watch.refused());
        }
        return first;
    }

    private static Path data(FrontendConfiguration configuration) {
        Path data = configuration.dataDirectory();
        try {
            PrivateDirectory.make(data);
            return data;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "data: cannot make " + data + ": " + AnepException.reason(e), e);
        }
    }

    private static String name(FrontendConfiguration configuration) {
        if (configuration.name != null) {
            return configuration.name;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "front-end";
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    /** {@code http://127.0.0.1:3327}. */
    public String url() {
        return server.url();
    }

    /** Hears nobody any more, and takes away what its engine has set up. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                // The others are closed all the same.
                LOG.error("a part of the front-end does not stop", e);
            }
        }
    }
}
