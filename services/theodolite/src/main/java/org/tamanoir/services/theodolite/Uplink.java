package org.tamanoir.services.theodolite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.RunReport;
import org.tamanoir.paths.wire.SampleAnswer;
import org.tamanoir.paths.wire.TheodolitePlan;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.server.Server;
import org.tamanoir.service.server.Server.Answer;
import org.tamanoir.service.server.Server.Message;

/** What a theodolite and its observatory tell each other; docs/observatory.md describes it. While the observatory is away everything here waits, and nothing else does. */
final class Uplink {
    private static final String JSON = "application/json";
    private static final String LINES = "application/x-ndjson";
    private static final Duration WAIT = Duration.ofSeconds(25);
    private static final Duration POST = Duration.ofSeconds(1);
    /** After an answer that should not be. */
    private static final Duration REFUSED = Duration.ofSeconds(30);
    private static final Duration REGISTER = Duration.ofMinutes(5);
    private static final int MOST_REPORTS = 1000;
    private static final int MOST_WHY = 200;

    private record Report(long number, String why) {
    }

    private final ServiceContext service;
    private final Server server;
    private final TheodoliteSettings settings;
    private final Alarms alarms;
    private final SampleBuffer samples;
    private final SampleBuffer chunks;
    private final Consumer<TheodolitePlan> plan;
    private final PlanStore store;
    private final Deque<Report> reports = new ArrayDeque<>();
    private Slots slots;
    private boolean follows;
    private boolean reporting;
    private boolean rests;
    private String trouble;

    Uplink(ServiceContext service, Server server, TheodoliteSettings settings, Alarms alarms, SampleBuffer samples, SampleBuffer chunks, Consumer<TheodolitePlan> plan) {
        this.service = service;
        this.server = server;
        this.settings = settings;
        this.alarms = alarms;
        this.samples = samples;
        this.chunks = chunks;
        this.plan = plan;
        this.store = new PlanStore(service.store());
    }

    /** Goes on with the last plan, and asks for a newer one. */
    void start(Slots runs) {
        slots = runs;
        byte[] kept = store.load();
        if (kept != null) {
            take(kept);
        }
        if (server != null) {
            register();
            post("/v1/samples", samples);
            post("/v1/series", chunks);
        }
    }

    void rest(boolean rest) {
        rests = rest;
    }

    /** Why the observatory does not do as it is asked; null if it does. */
    String problem() {
        return server == null ? "no observatory is set" : trouble != null ? trouble : server.problem();
    }

    private void register() {
        if (service.node().address().getPort() == 0) {
            // Services that were kept start before the node listens.
            alarms.after(POST, this::register);
            return;
        }
        InetSocketAddress reflector = service.probes().reflector();
        Registration registration = new Registration(service.node().name(), text(service.node().address()), reflector == null ? null : text(reflector),
                service.name() + " " + service.version(), settings.place());
        send(Message.put("/v1/theodolites/" + settings.name(), JSON, registration.json().getBytes(UTF_8)), answer -> {
            if (answer.isGood() && !follows) {
                follows = true;
                server.follow("/v1/plan?theodolite=" + settings.name() + "&wait=" + WAIT.toSeconds(), WAIT, octets -> alarms.alone(() -> planned(octets)));
                server.follow("/v1/runs?theodolite=" + settings.name() + "&wait=" + WAIT.toSeconds(), WAIT, octets -> alarms.alone(() -> booked(octets)));
            }
            alarms.after(answer.isGood() ? REGISTER : REFUSED, this::register);
        });
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private void send(Message message, Consumer<Answer> answered) {
        server.send(message, answer -> alarms.alone(() -> {
            refused(answer.refusal());
            answered.accept(answer);
        }));
    }

    private void refused(AnepException why) {
        String now = why == null ? null : why.getMessage();
        if (now != null && !now.equals(trouble)) {
            service.logger().warn("the observatory refuses: {}", now);
        }
        trouble = now;
    }

    private void planned(byte[] octets) {
        if (take(octets)) {
            store.save(octets, failure -> service.logger().warn("the plan is followed and not kept: {}", failure.getMessage()));
        }
    }

    /** What makes no sense changes nothing. */
    private boolean take(byte[] octets) {
        try {
            TheodolitePlan read = TheodolitePlan.parse(new String(octets, UTF_8));
            if (!read.theodolite().equals(settings.name())) {
                throw new IllegalArgumentException("it is the plan of " + read.theodolite());
            }
            plan.accept(read);
            return true;
        } catch (AnepException | IllegalArgumentException e) {
            service.logger().warn("the plan is not taken, and the one before goes on: {}", e.getMessage());
            return false;
        }
    }

    private void booked(byte[] octets) {
        try {
            slots.runs(BookedRun.parse(new String(octets, UTF_8)));
        } catch (AnepException e) {
            service.logger().warn("the runs are not taken: {}", e.getMessage());
        }
    }

    /** Says how a run has ended; one report after the other. */
    void report(long number, String why) {
        if (server == null) {
            return;
        }
        if (reports.size() >= MOST_REPORTS) {
            reports.removeFirst();
        }
        reports.addLast(new Report(number, why == null ? null : line(why)));
        nextReport();
    }

    private static String line(String why) {
        String line = why.replaceAll("\\p{Cntrl}", " ");
        return line.length() <= MOST_WHY ? line : line.substring(0, MOST_WHY);
    }

    private void nextReport() {
        if (!reporting && !reports.isEmpty()) {
            Report next = reports.removeFirst();
            reporting = true;
            send(Message.post("/v1/runs/" + next.number, JSON, new RunReport(settings.name(), next.why).json().getBytes(UTF_8)), answer -> {
                reporting = false;
                nextReport();
            });
        }
    }

    private void post(String path, SampleBuffer lines) {
        Runnable again = () -> post(path, lines);
        if (rests || lines.waiting() == 0) {
            alarms.after(POST, again);
        } else {
            send(Message.post(path, LINES, lines.batch()), answer -> alarms.after(acknowledged(answer, lines) ? lines.waiting() > 0 ? Duration.ZERO : POST : REFUSED, again));
        }
    }

    private boolean acknowledged(Answer answer, SampleBuffer lines) {
        if (!answer.isGood()) {
            return false;
        }
        try {
            SampleAnswer said = SampleAnswer.parse(new String(answer.body(), UTF_8));
            said.refused().stream().findFirst().ifPresent(first -> service.logger().warn("the observatory refuses {} samples; line {}: {} {}", said.refused().size(), first.line(), first.code(),
                    first.message()));
            return lines.acknowledge(said.acknowledged());
        } catch (AnepException e) {
            service.logger().warn("the answer to samples makes no sense: {}", e.getMessage());
            return false;
        }
    }
}
