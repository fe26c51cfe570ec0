package org.tamanoir.tests;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.lab.Host;
import org.tamanoir.paths.file.PlanFile;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Session;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.paths.wire.Peer;
import org.tamanoir.paths.wire.PlannedSession;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.RunReport;
import org.tamanoir.paths.wire.SampleAnswer;
import org.tamanoir.paths.wire.SampleAnswer.Acknowledged;
import org.tamanoir.paths.wire.SampleLine;
import org.tamanoir.paths.wire.TheodolitePlan;

/** The wire of docs/observatory.md on loopback or a host of a laboratory, with nothing behind it but memory; it can be away for a while. */
final class TestObservatory implements AutoCloseable {
    private final Host host;
    private InetSocketAddress address;
    private final Map<String, Registration> registered = new HashMap<>();
    /** Each once, by theodolite, boot and number. */
    private final TreeMap<String, SampleLine> samples = new TreeMap<>();
    private final Map<Long, Session> booked = new LinkedHashMap<>();
    private final Map<Long, Boolean> receives = new HashMap<>();
    private final Map<Long, RunReport> reports = new HashMap<>();
    private Plan plan = PlanFile.parse("theodolites: {}");
    private long runs;
    private HttpServer server;

    /** On loopback. */
    TestObservatory() throws Exception {
        this.host = null;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        begin();
    }

    TestObservatory(Host host, InetAddress address) throws Exception {
        this.host = host;
        this.address = new InetSocketAddress(address, 8080);
        begin();
    }

    void begin() throws Exception {
        Callable<HttpServer> starting = () -> HttpServer.at(address).workers(40).route("PUT", "/v1/theodolites/{name}", this::register)
                .route("GET", "/v1/plan", request -> document(request, () -> planOf(request.query("theodolite").orElseThrow())))
                .route("GET", "/v1/runs", request -> document(request, () -> runsOf(request.query("theodolite").orElseThrow())))
                .route("POST", "/v1/runs/{number}", this::report).route("POST", "/v1/samples", this::take).start();
        server = host == null ? starting.call() : host.inside(starting);
        address = server.address();
    }

    /** Nobody reaches it until {@link #begin}. */
    void away() {
        HttpServer closing;
        synchronized (this) {
            closing = server;
            server = null;
            notifyAll();
        }
        closing.close();
    }

    String url() {
        return "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Another plan, in YAML. */
    synchronized void plan(String yaml) {
        plan = PlanFile.parse(yaml);
        notifyAll();
    }

    /** Begins a run of a session. @param received whether the other end is told, too @return its number */
    synchronized long book(String session, boolean received) {
        booked.put(++runs, plan.sessions().stream().filter(each -> each.id().equals(session)).findFirst().orElseThrow());
        receives.put(runs, received);
        notifyAll();
        return runs;
    }

    /** How a run has ended; null while it has not. */
    synchronized RunReport reported(long run) {
        return reports.get(run);
    }

    synchronized List<SampleLine> samples() {
        return List.copyOf(samples.values());
    }

    private Response register(Request request) {
        Registration made = Registration.parse(new String(request.body(), UTF_8));
        synchronized (this) {
            registered.put(request.parameter("name"), made);
            notifyAll();
        }
        return Response.empty();
    }

    private synchronized Response report(Request request) {
        long number = Long.parseLong(request.parameter("number"));
        reports.put(number, RunReport.parse(new String(request.body(), UTF_8)));
        booked.remove(number);
        notifyAll();
        return Response.empty();
    }

    private synchronized Response take(Request request) {
        Map<String, Acknowledged> last = new HashMap<>();
        new String(request.body(), UTF_8).lines().map(SampleLine::parse).forEach(line -> {
            samples.put(String.format("%s %d %08d", line.theodolite(), line.boot(), line.number()), line);
            last.put(line.theodolite() + line.boot(), new Acknowledged(line.theodolite(), line.boot(), line.number()));
        });
        return Response.bytes(200, "application/json", new SampleAnswer(List.copyOf(last.values()), 0, 0, List.of()).json().getBytes(UTF_8));
    }

    private synchronized Response document(Request request, Supplier<String> current) throws InterruptedException {
        String known = request.header("If-None-Match").orElse("");
        long end = System.nanoTime() + Duration.ofSeconds(Long.parseLong(request.query("wait").orElse("0"))).toNanos();
        String now = current.get();
        for (long left = end - System.nanoTime(); known.equals(tag(now)) && left > 0 && server != null; left = end - System.nanoTime()) {
            wait(Math.max(1, Math.min(500, left / 1_000_000)));
            now = current.get();
        }
        return Response.bytes(200, "application/json", now.getBytes(UTF_8)).etag(tag(now).replace("\"", ""));
    }

    private static String tag(String document) {
        return "\"" + Integer.toHexString(document.hashCode()) + "\"";
    }

    private String planOf(String name) {
        return new TheodolitePlan(plan.version(), Duration.ofSeconds(30), name, plan.sessionsOf(name).stream()
                .map(each -> new PlannedSession(each.id(), each.task(), peer(each.to()), each.qosClass(), each.codePoint(), each.test(), each.schedule())).toList()).json();
    }

    private Peer peer(String name) {
        Registration known = registered.get(name);
        String at = plan.host(name);
        return new Peer(name, at, at + ":" + (known == null ? Peer.ANEP_PORT : Registration.port(known.anep())), at + ":" + (known == null ? Peer.REFLECTOR_PORT : Registration.port(known.reflector())));
    }

    private String runsOf(String name) {
        List<BookedRun> mine = new ArrayList<>();
        booked.forEach((number, session) -> {
            boolean sends = session.from().equals(name);
            if (sends || session.to().equals(name) && receives.get(number)) {
                mine.add(new BookedRun(number, sends, session.id(), peer(sends ? session.to() : session.from()), session.codePoint(), session.test().streams(), "token-" + number, 0,
                        session.test().length()));
            }
        });
        return BookedRun.json(mine);
    }

    @Override
    public void close() {
        if (server != null) {
            away();
        }
    }
}
