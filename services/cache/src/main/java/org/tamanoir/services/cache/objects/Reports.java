package org.tamanoir.services.cache.objects;

import java.util.LinkedHashMap;
import java.util.Map;

/** What operators are told of objects. */
final class Reports {
    private Reports() {
    }

    static Map<String, Object> of(CachedObject object, long nowMillis, double heuristic, boolean pinned) {
        Map<String, Object> report = new LinkedHashMap<>();
        long age = object.stored.age(nowMillis);
        long lifetime = object.stored.lifetime(heuristic);
        report.put("url", CachedObjects.urlOf(object.key()));
        report.put("origin", object.key().substring(0, object.key().indexOf(' ')));
        report.put("status", object.stored.head().status());
        report.put("octets", object.length);
        report.put("kept", object.kept);
        report.put("ageSeconds", age);
        report.put("freshSeconds", lifetime - age);
        report.put("fresh", lifetime > age);
        report.put("asksOrigin", object.stored.asks());
        report.put("pinned", pinned);
        report.put("reads", object.hits);
        report.put("filling", object.fills.stream().anyMatch(fill -> fill.owner != null));
        if (object.stored.etag() != null) {
            report.put("etag", object.stored.etag());
        }
        if (!object.variant().isEmpty()) {
            report.put("variant", object.variant());
        }
        return report;
    }
}
