package org.tamanoir.tests;

import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.Guard;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Request;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.http.TokenCheck;
import org.tamanoir.identity.Identity;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.membership.Welcome.Standing;
import org.tamanoir.membership.Welcome.Virtual;

/** The front-end of a cluster as a back end sees it: it writes down what it hears and answers what the test says. It has no director. */
final class TestFrontend implements AutoCloseable {
    static final long PERIOD_MILLIS = 200;

    private final HttpServer server;
    private final List<Report> reports = new CopyOnWriteArrayList<>();
    private final List<String> gone = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    volatile Method method = Method.NAT;
    volatile List<Virtual> services = List.of(new Virtual("198.51.100.1", 3322));
    volatile AnepException refusal;
    volatile boolean hangs;
    /** What the certificate of the last back end says. */
    volatile List<String> names = List.of();
    /** For every back end; null for none. */
    volatile Order order;

    /** @param token null for none */
    TestFrontend(InetSocketAddress address, String token) {
        this(HttpServer.at(address), token);
    }

    /** One that speaks TLS, and hears only who shows a certificate. */
    static TestFrontend byTls(Identity identity) {
        return new TestFrontend(HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).tls(identity.sslContext(any -> false), true, Identity::names), null);
    }

    private TestFrontend(HttpServer.Builder http, String token) {
        Guard check = token == null ? Guard.OPEN : TokenCheck.always(token);
        server = http.name("frontend").workers(8).route(Route.of("PUT", "/members/{name}", this::report).guarded(check),
                Route.of("DELETE", "/members/{name}", this::leave).guarded(check)).start();
    }

    static TestFrontend onLoopback(String token) {
        return new TestFrontend(new InetSocketAddress("127.0.0.1", 0), token);
    }

    private Response report(Request request) throws InterruptedException {
        if (hangs) {
            closed.await(20, TimeUnit.SECONDS);
        }
        if (refusal != null) {
            throw refusal;
        }
        Report report = ReportReader.read(request.body(), true);
        if (!report.name().equals(request.parameter("name"))) {
            throw new AnepException(ErrorCode.BAD_REPORT, "name");
        }
        reports.add(report);
        names = request.caller().names();
        boolean leaves = report.state() == Report.State.LEAVING;
        return Response.json(new Welcome("test", PERIOD_MILLIS, 3 * PERIOD_MILLIS, method, services, leaves ? Standing.DRAINING : Standing.IN,
                leaves ? "it leaves" : null, order));
    }

    private Response leave(Request request) throws InterruptedException {
        if (hangs) {
            closed.await(20, TimeUnit.SECONDS);
        }
        gone.add(request.parameter("name") + " " + request.query("instance").orElse("?"));
        return Response.json(Map.of());
    }

    String url() {
        return server.url();
    }

    InetSocketAddress address() {
        return server.address();
    }

    List<Report> reports() {
        return reports;
    }

    Report last() {
        return reports.get(reports.size() - 1);
    }

    /** Waits for so many reports more. */
    TestFrontend awaitMore(int count) {
        int before = reports.size();
        await().until(() -> reports.size() >= before + count);
        return this;
    }

    void awaitState(Report.State state) {
        await().until(() -> !reports.isEmpty() && last().state() == state);
    }

    /** Back ends that have said that they are gone, {@code NAME INSTANCE}. */
    List<String> gone() {
        return gone;
    }

    @Override
    public void close() {
        closed.countDown();
        server.close();
    }
}
