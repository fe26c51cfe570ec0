package org.tamanoir.services.cache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Commanded;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.services.cache.objects.BlockTier;
import org.tamanoir.services.cache.objects.CachedObject;
import org.tamanoir.services.cache.objects.CachedObjects;
import org.tamanoir.services.cache.rules.Reason;

/** Keeps what origins answer by HTTP/1.1, and answers with it. Type ID 0x540C. */
@Component(service = ActiveService.class)
public final class HttpCache implements ActiveService, Inspected, Commanded {
    private static final String URL = "url";
    private static final int MOST_LISTED = 10_000;
    private static final StreamHandler PASS = (packet, out) -> Verdict.PASS;

    private final LongSupplier clock;
    private final CacheCounters counters = new CacheCounters();
    private final OriginsAway away;
    private ServiceContext service;
    private CacheSettings settings;
    private CachedObjects objects;

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
        counters.register(context.metrics(), objects);
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        // A datagram has no order, and the octets of a stream that may go on by another node are not this node's to answer.
        return stream.transport() == Transport.TCP && stream.connectLater() ? new CacheStream(this, stream) : PASS;
    }

    CacheSettings settings() {
        return settings;
    }

    CachedObjects objects() {
        return objects;
    }

    OriginsAway away() {
        return away;
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
        if (!what.equals("purge")) {
            throw new AnepException(ErrorCode.NOT_FOUND, "cache takes the command 'purge', not '" + what + "'");
        }
        return Map.of("purged", objects.purge(url(parameters), Boolean.parseBoolean(parameters.get("prefix"))));
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
