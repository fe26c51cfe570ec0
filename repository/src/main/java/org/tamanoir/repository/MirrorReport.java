package org.tamanoir.repository;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.Request;
import org.tamanoir.repository.mirror.Mirror;
import org.tamanoir.repository.mirror.Mirror.MirrorStatus;

/** What a mirror says of itself, and what it says to whoever wants to publish there. */
final class MirrorReport implements Guard {
    private static final String PREFIX = "tamanoir_repository_mirror_";
    private final Mirror mirror;

    /** Takes one metric. */
    interface Sink {
        void metric(String name, String type, String help, long value);
    }

    MirrorReport(Mirror mirror) {
        this.mirror = mirror;
    }

    /** @throws AnepException EE-412, always */
    @Override
    public void check(Request request) {
        throw new AnepException(ErrorCode.IS_MIRROR, "this repository mirrors " + mirror.upstream() + ": publish and retire there");
    }

    boolean isWell() {
        MirrorStatus status = mirror.status();
        return status.problem() == null && status.conflicts().isEmpty() && status.refused().isEmpty() && mirror.metadataProblem() == null;
    }

    Map<String, Object> health() {
        MirrorStatus status = mirror.status();
        long now = Mirror.clock();
        Map<String, Object> health = new LinkedHashMap<>();
        health.put("upstream", mirror.upstream());
        health.put("state", status.state());
        health.put("lastContact", date(now, status.contact()));
        health.put("lastComplete", date(now, status.complete()));
        health.put("lagSeconds", status.complete() < 0 ? null : (now - status.complete()) / 1000);
        health.put("missing", status.missing());
        health.put("failures", status.failures());
        health.put("problem", status.problem());
        health.put("conflicts", status.conflicts());
        health.put("refused", status.refused());
        health.put("metadataProblem", mirror.metadataProblem());
        return health;
    }

    private static String date(long now, long then) {
        return then < 0 ? null : Instant.now().minusMillis(now - then).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    void metrics(Sink sink) {
        MirrorStatus status = mirror.status();
        long now = Mirror.clock();
        sink.metric(PREFIX + "looks_total", "counter", "Answers of the upstream to looks at its index.", status.looks());
        sink.metric(PREFIX + "failures_total", "counter", "Looks and transfers that failed, and bundles that were not taken.", status.failures());
        sink.metric(PREFIX + "fetched_total", "counter", "Bundles that were fetched and taken.", status.fetched());
        sink.metric(PREFIX + "octets_total", "counter", "Octets of bundles that have come, those of broken transfers too.", status.octets());
        sink.metric(PREFIX + "missing", "gauge", "Versions that the upstream offers and that are not here.", status.missing());
        sink.metric(PREFIX + "conflicts", "gauge", "Versions that the upstream offers with other content than is here.",
                status.conflicts().size());
        sink.metric(PREFIX + "refused", "gauge", "Versions that were fetched and not taken.", status.refused().size());
        sink.metric(PREFIX + "up", "gauge", "1 if the last look or transfer did not fail.", status.state().equals("unreachable") ? 0 : 1);
        if (status.contact() >= 0) {
            sink.metric(PREFIX + "last_contact_seconds", "gauge", "When the upstream last answered, seconds since 1970.",
                    Instant.now().minusMillis(now - status.contact()).getEpochSecond());
        }
        if (status.complete() >= 0) {
            sink.metric(PREFIX + "lag_seconds", "gauge", "Since the mirror last had everything that the upstream offers.",
                    (now - status.complete()) / 1000);
        }
    }
}
