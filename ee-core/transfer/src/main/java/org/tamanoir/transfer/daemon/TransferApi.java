package org.tamanoir.transfer.daemon;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.identity.Identity;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.daemon.TransferDaemon.Progress;
import org.tamanoir.transfer.daemon.TransferDaemon.Submitted;
import org.tamanoir.transfer.daemon.TransferDaemon.View;
import org.tamanoir.transfer.queue.Forecast;
import org.tamanoir.transfer.queue.Transfer;
import org.tamanoir.transfer.queue.TransferRequest;

/**
 * What a queue of transfers answers: {@code /transfers}, {@code /transfers/ID}, {@code /transfers/ID/why}, {@code /status}, {@code /metrics}, {@code /healthz}. Whoever
 * may submit has movers copy with the tokens that the queue has for them.
 */
public final class TransferApi {
    private static final long LARGEST_REQUEST = 4 << 20;
    private static final Pattern MOST = Pattern.compile("[1-9][0-9]{0,5}");

    private final TransferDaemon daemon;

    private TransferApi(TransferDaemon daemon) {
        this.daemon = daemon;
    }

    /** What is submitted. @param anyway also if its time cannot be met */
    public record Submission(TransferRequest request, boolean anyway) {
    }

    /**
     * Serves.
     *
     * @param token what everybody shows; null for this machine alone, which needs none then
     * @param identity null for no TLS
     * @throws org.tamanoir.anep.AnepException EE-502 if the address cannot be listened on
     */
    public static HttpServer serve(TransferDaemon daemon, InetSocketAddress listen, String token, Identity identity) {
        TransferApi api = new TransferApi(daemon);
        Guard guard = token == null ? TokenCheck.unlessLocal(null) : TokenCheck.always(token);
        HttpServer.Builder server = HttpServer.at(listen).name("transfers")
                .route(Route.of("POST", "/transfers", api::submit).guarded(guard).body(LARGEST_REQUEST))
                .route(Route.of("GET", "/transfers", api::list).guarded(guard))
                .route(Route.of("GET", "/transfers/{id}", request -> Response.json(json(daemon.view(request.parameter("id"))))).guarded(guard))
                .route(Route.of("GET", "/transfers/{id}/why", api::why).guarded(guard))
                .route(Route.of("DELETE", "/transfers/{id}", request -> Response.json(Map.of("id", daemon.cancel(request.parameter("id")).id(), "state", "cancelled"))).guarded(guard))
                .route(Route.of("GET", "/status", request -> Response.json(daemon.status())).guarded(guard))
                .route(Route.of("GET", "/metrics", request -> Response.bytes(200, "text/plain; version=0.0.4; charset=utf-8", api.metrics().getBytes(StandardCharsets.UTF_8))).guarded(guard))
                .route(Route.of("GET", "/healthz", request -> Response.json(Map.of("status", "up"))));
        return (identity == null ? server : server.tls(identity.sslContext(any -> false), false, Identity::names)).start();
    }

    private Response submit(Request request) {
        Submission asked = request.json(Submission.class);
        Submitted taken = daemon.submit(asked.request(), asked.anyway());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", taken.transfer().id());
        answer.put("promised", taken.transfer().promised());
        answer.put("forecast", forecast(taken.forecast()));
        answer.put("expected", taken.forecast() == null ? null : Words.expected(taken.forecast(), taken.transfer()));
        return Response.json(201, answer);
    }

    /** All, the oldest first; with {@code most=N} no more than that, those that run first, then those that are open, then those that ended last. */
    private Response list(Request request) {
        List<View> all = daemon.views();
        String most = request.query("most").orElse(null);
        if (most == null) {
            return Response.json(all.stream().map(TransferApi::json).toList());
        }
        if (!MOST.matcher(most).matches()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "most is '" + most + "'; it must be 1 to 999999");
        }
        Comparator<View> order = Comparator.<View>comparingInt(view -> view.transfer().state() == Transfer.State.RUNNING ? 0 : view.transfer().state().isOver() ? 2 : 1)
                .thenComparingLong(view -> view.transfer().state().isOver() ? -view.transfer().since() : view.transfer().number());
        return Response.json(all.stream().sorted(order).limit(Integer.parseInt(most)).map(TransferApi::brief).toList());
    }

    /** Without the names of files that were not copied, which may be a thousand. */
    private static Map<String, Object> brief(View view) {
        Map<String, Object> fields = json(view);
        CopyReport report = view.transfer().report();
        if (report != null) {
            fields.put("report", Map.of("files", report.files(), "present", report.present(), "octets", report.octets(), "resumed", report.resumed(), "moved", report.moved(), "failures", report.failures()));
        }
        return fields;
    }

    private Response why(Request request) {
        View view = daemon.view(request.parameter("id"));
        return Response.json(Map.of("id", view.transfer().id(), "state", state(view.transfer()), "why", Words.why(view)));
    }

    private static String state(Transfer transfer) {
        return transfer.state().name().toLowerCase(Locale.ROOT);
    }

    private static String time(long millis) {
        return millis == 0 ? null : Instant.ofEpochMilli(millis).toString();
    }

    private static Map<String, Object> json(View view) {
        Transfer one = view.transfer();
        TransferRequest asked = one.request();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", one.id());
        fields.put("state", state(one));
        fields.put("since", time(one.since()));
        fields.put("sources", asked.sources());
        fields.put("destination", asked.destination());
        fields.put("from", one.from());
        fields.put("to", one.to());
        fields.put("octets", one.octets() < 0 ? null : one.octets());
        fields.put("submitted", time(one.submitted()));
        fields.put("priority", asked.priority());
        fields.put("by", time(asked.by()));
        fields.put("rateOctetsPerSecond", asked.rate() == 0 ? null : asked.rate());
        fields.put("steady", asked.steady());
        fields.put("promised", asked.isTimed() && one.promised());
        fields.put("progress", progress(view.progress()));
        fields.put("hold", view.hold() == null ? null : Map.of("bound", view.hold().kind().name().toLowerCase(Locale.ROOT), "what", view.hold().what(), "by", view.hold().by()));
        fields.put("next", time(one.next()));
        fields.put("reason", one.reason());
        fields.put("attempts", one.attempts().stream().map(TransferApi::attempt).toList());
        fields.put("forecast", forecast(view.forecast()));
        fields.put("report", one.report());
        return fields;
    }

    private static Map<String, Object> progress(Progress now) {
        if (now == null) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("files", now.files());
        fields.put("ofFiles", now.ofFiles());
        fields.put("octets", now.octets());
        fields.put("moved", now.moved());
        fields.put("resumed", now.resumed());
        fields.put("octetsPerSecond", Math.round(now.rate()));
        fields.put("secondsLeft", now.secondsLeft() < 0 ? null : Math.round(now.secondsLeft()));
        return fields;
    }

    private static Map<String, Object> attempt(Transfer.Attempt one) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("began", time(one.began()));
        fields.put("ended", time(one.ended()));
        fields.put("moved", one.moved());
        fields.put("why", one.why());
        return fields;
    }

    private static Map<String, Object> forecast(Forecast.Answer answer) {
        if (answer == null) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("probability", answer.probability());
        fields.put("begins", time(answer.begins()));
        fields.put("ends", time(answer.ends()));
        fields.put("endsSurely", time(answer.endsSurely()));
        fields.put("linkOctetsPerSecond", Math.round(answer.link().rate()));
        fields.put("linkError", answer.link().error());
        fields.put("linkTransfers", answer.link().count());
        fields.put("before", answer.before());
        return fields;
    }

    private String metrics() {
        TransferDaemon.Status now = daemon.status();
        StringBuilder text = new StringBuilder("# HELP tamanoir_transfers Transfers that are in each state now.\n# TYPE tamanoir_transfers gauge\n");
        now.transfers().forEach((state, count) -> text.append("tamanoir_transfers{state=\"").append(state.name().toLowerCase(Locale.ROOT)).append("\"} ").append(count).append('\n'));
        text.append("# HELP tamanoir_transfers_over_total Transfers that have ended, by how.\n# TYPE tamanoir_transfers_over_total counter\n");
        for (Transfer.State state : List.of(Transfer.State.DONE, Transfer.State.FAILED, Transfer.State.CANCELLED)) {
            text.append("tamanoir_transfers_over_total{state=\"").append(state.name().toLowerCase(Locale.ROOT)).append("\"} ").append(now.over().getOrDefault(state, 0L)).append('\n');
        }
        return text + counter("octets", "Octets that were copied.", now.octets()) + counter("failed_attempts", "Attempts that failed.", now.failedAttempts())
                + counter("late", "Transfers that ended after their deadline.", now.late());
    }

    private static String counter(String name, String help, long value) {
        return "# HELP tamanoir_transfer_" + name + "_total " + help + "\n# TYPE tamanoir_transfer_" + name + "_total counter\ntamanoir_transfer_" + name + "_total " + value + "\n";
    }
}
