package org.tamanoir.services.cache;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Commanded;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.connection.Connections.Remote;
import org.tamanoir.services.cache.objects.BlockTier;
import org.tamanoir.services.cache.objects.CachedObject;
import org.tamanoir.services.cache.objects.CachedObjects;
import org.tamanoir.services.cache.objects.Flights;
import org.tamanoir.services.cache.rules.Reason;

/** Keeps what origins answer by HTTP/1.1, and answers with it. Type ID 0x540C. */
@Component(service = ActiveService.class)
public final class HttpCache implements FlowSink, Inspected, Commanded {
    private static final String URL = "url";
    private static final String HTTP_PORT = ":80";
    private static final Pattern ENDS_WITH_PORT = Pattern.compile(":\\d+$");
    private static final int MOST_LISTED = 10_000;
    private static final StreamHandler PASS = (packet, out) -> Verdict.PASS;

    private final LongSupplier clock;
    private final CacheCounters counters = new CacheCounters();
    private final Flights flights = new Flights();
    private final OriginsAway away;
    private ServiceContext service;
    private CacheSettings settings;
    private CachedObjects objects;
    private Neighbours neighbours;

    @Activate
    public HttpCache() {
        this(System::currentTimeMillis);
    }

    /** @param clock milliseconds since 1970 */
    HttpCache(LongSupplier clock) {
        this.clock = clock;
        this.away = new OriginsAway(clock);
    }

    @Override
    public void start(ServiceContext context) {
        service = context;
        settings = CacheSettings.of(context.configuration());
        objects = new CachedObjects(new BlockTier(context.blocks(), settings.memory()), context.store(), settings.disk(), settings::isPinned, context.logger());
        objects.load();
        neighbours = new Neighbours(this, context, context.configuration().addresses("neighbours"));
        counters.register(context.metrics(), objects);
        RegularWarming.start(context, (url, origin) -> warm(url, origin));
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        // A datagram has no order, and the octets of a stream that may go on by another node are not this node's to answer.
        return stream.transport() == Transport.TCP && stream.connectLater() ? new CacheStream(this, stream) : PASS;
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        return new NeighbourStream(this, stream);
    }

    Neighbours neighbours() {
        return neighbours;
    }

    CacheSettings settings() {
        return settings;
    }

    CachedObjects objects() {
        return objects;
    }

    Flights flights() {
        return flights;
    }

    OriginsAway away() {
        return away;
    }

    /**
     * Tries whether an origin takes connections.
     *
     * @param then runs when {@link #away} knows
     * @return false if the operator does not let the service connect there, and nothing will run
     */
    boolean probe(InetSocketAddress origin, Runnable then) {
        try {
            service.connections().open(Remote.server(origin.getAddress().getHostAddress(), origin.getPort()), new OriginProbe(away, origin, then));
            return true;
        } catch (AnepException e) {
            return false;
        }
    }

    CacheCounters counters() {
        return counters;
    }

    long nowMillis() {
        return clock.getAsLong();
    }

    /** How this node names itself in Cache-Status (RFC 9211). */
    String name() {
        return "tamanoir-" + service.node().name();
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        return switch (what) {
            case "list" -> list(parameters.getOrDefault(URL, ""));
            case "why" -> why(url(parameters));
            default -> throw new AnepException(ErrorCode.NOT_FOUND, "cache shows 'list' and 'why', not '" + what + "'");
        };
    }

    private static String url(Map<String, String> parameters) {
        String url = parameters.get(URL);
        if (url == null || !url.startsWith("http://")) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "say which URL by url=http://…");
        }
        return url;
    }

    @Override
    public Map<String, Object> command(String what, Map<String, String> parameters) {
        return switch (what) {
            case "purge" -> Map.of("purged", objects.purge(url(parameters), Boolean.parseBoolean(parameters.get("prefix"))));
            case "warm" -> warm(url(parameters), parameters.get("origin"));
            default -> throw new AnepException(ErrorCode.NOT_FOUND, "cache takes the commands 'purge' and 'warm', not '" + what + "'");
        };
    }

    /** @param origin the address of the origin; null if the URL has it */
    private Map<String, Object> warm(String url, String origin) {
        URI asked;
        try {
            asked = new URI(url);
        } catch (URISyntaxException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "cannot be asked for: " + e.getMessage(), e);
        }
        if (asked.getRawAuthority() == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, url + " names no host");
        }
        String authority = origin == null ? asked.getRawAuthority() : origin;
        InetSocketAddress at = MapConfiguration.address(ENDS_WITH_PORT.matcher(authority).find() ? authority : authority + HTTP_PORT);
        if (at == null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "say the address of the origin by origin=ADDRESS:PORT: a node looks up no names for that");
        }
        new Warming(this, service, asked, at).start();
        return Map.of("warms", url, "origin", Way.name(at));
    }

    private Map<String, Object> list(String prefix) {
        List<Map<String, Object>> found = reports(prefix, true);
        found.sort(Comparator.comparingLong(report -> -((Number) report.get("kept")).longValue()));
        return Map.of("objects", found.size(), "kept", objects.octets(), "list", found.subList(0, Math.min(MOST_LISTED, found.size())));
    }

    private List<Map<String, Object>> reports(String url, boolean isPrefix) {
        List<Map<String, Object>> found = new ArrayList<>();
        for (CachedObject object : objects.all(url, isPrefix)) {
            found.add(objects.report(object, clock.getAsLong(), settings.heuristic()));
        }
        return found;
    }

    private Map<String, Object> why(String url) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(URL, url);
        List<Map<String, Object>> kept = reports(url, false);
        answer.put("kept", kept);
        List<Map<String, Object>> reasons = new ArrayList<>();
        objects.notes().of(url).forEach((key, reason) -> reasons.add(said(key, reason)));
        answer.put("notKept", reasons);
        return answer;
    }

    private static Map<String, Object> said(String key, Reason reason) {
        return Map.of("origin", key.substring(0, key.indexOf(' ')), "reason", reason.word(), "says", reason.says());
    }
}
