package org.tamanoir.services.theodolite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.tamanoir.paths.plan.Measurement;
import org.tamanoir.paths.plan.Schedule;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.paths.wire.Line;
import org.tamanoir.paths.wire.Peer;
import org.tamanoir.paths.wire.PlannedSession;
import org.tamanoir.paths.wire.RunReport;
import org.tamanoir.paths.wire.SampleAnswer;
import org.tamanoir.paths.wire.SampleAnswer.Acknowledged;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.paths.wire.SeriesLine;
import org.tamanoir.paths.wire.StreamLine;
import org.tamanoir.paths.wire.TheodolitePlan;
import org.tamanoir.service.server.Server.Answer;
import org.tamanoir.service.server.Server.Message;
import org.tamanoir.service.testkit.RecordedServer;

/** What the observatory of a test keeps: samples, each once, and how runs ended. */
final class Observatory {
    static final String NAME = "naples";
    static final String REFLECTOR = "192.0.2.7:862";
    static final Duration MINUTE = Duration.ofMinutes(1);

    final RecordedServer server = new RecordedServer().answers(this::answer);
    /** By boot and number. */
    final TreeMap<String, SampleLine> samples = new TreeMap<>();
    final List<SeriesLine> series = new ArrayList<>();
    final List<StreamLine> streams = new ArrayList<>();
    final List<String> registrations = new ArrayList<>();
    final List<RunReport> reports = new ArrayList<>();
    private long version;

    private Answer answer(Message message) {
        String body = new String(message.body(), UTF_8);
        if (message.path().startsWith("/v1/theodolites/")) {
            registrations.add(body);
        } else if (message.path().startsWith("/v1/runs/")) {
            reports.add(RunReport.parse(body));
        } else {
            List<Acknowledged> last = new ArrayList<>();
            body.lines().map(message.path().equals("/v1/series") ? (Function<String, Line>) SeriesLine::parse : Line::parse).forEach(line -> {
                if (line instanceof SeriesLine chunk) {
                    series.add(chunk);
                } else if (line instanceof SampleLine sample) {
                    samples.put(String.format("%d %08d", line.boot(), line.number()), sample);
                } else {
                    streams.add((StreamLine) line);
                }
                last.add(new Acknowledged(line.theodolite(), line.boot(), line.number()));
            });
            return new Answer(new SampleAnswer(last, last.size(), 0, List.of()).json().getBytes(UTF_8), null);
        }
        return new Answer(new byte[0], null);
    }

    static Peer peer(String name, String reflector) {
        return new Peer(name, "192.0.2.7", "192.0.2.7:3322", reflector);
    }

    static PlannedSession session(String task, Measurement.Kind kind, String reflector) {
        Measurement test = kind.isExpensive() ? Measurement.ofThroughput(Duration.ofSeconds(10), 2) : Measurement.ofProbes(kind, 600, Duration.ofMillis(10), 64);
        return new PlannedSession(task + "/be/" + NAME + "/pisa", task, peer("pisa", reflector), "be", 46, test, new Schedule(MINUTE, Duration.ZERO, false));
    }

    void plan(PlannedSession... sessions) {
        server.publish("/v1/plan?theodolite=naples&wait=25", new TheodolitePlan(++version, Duration.ofSeconds(30), NAME, List.of(sessions)).json().getBytes(UTF_8));
    }

    void runs(BookedRun... runs) {
        server.publish("/v1/runs?theodolite=naples&wait=25", BookedRun.json(List.of(runs)).getBytes(UTF_8));
    }

    List<SampleLine> of(String session) {
        return samples.values().stream().filter(each -> each.session().startsWith(session + "/")).toList();
    }
}
