package org.tamanoir.node.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.contact.AgentCore;
import org.tamanoir.fleet.contact.PartAnswer;
import org.tamanoir.fleet.report.Drift;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.report.PartRefusal;
import org.tamanoir.fleet.state.FleetKeys;
import org.tamanoir.fleet.state.FleetTimes;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Fetched;

/**
 * The thread that speaks with the server of a fleet. The node's own clock plays no part: all times are of the clock that does not go back. Nothing waits for it.
 */
public final class FleetAgent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FleetAgent.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long CLOSE_MILLIS = 2_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What a report says besides counters: it is said at once when it changes. */
    private record Facts(String status, List<String> problems, List<Drift> drift, List<String> restart) {
    }

    private final FleetTarget target;
    private final SSLContext tls;
    private final FleetCounters counters = new FleetCounters();
    private final Thread thread = new Thread(this::run, "tamanoir-fleet");
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    /** Null for no fleet. */
    private FleetSettings settings;
    private HttpFetch fetch;
    private AgentCore core;
    private boolean closed;
    /** Whether the thread waits for the server: then it may be interrupted. */
    private boolean talks;
    private PartRefusal refusal;
    private String problem;
    private long contact = -1;
    private Facts told;

    /** @param tls for https; null for the JDK's authorities */
    public FleetAgent(FleetTarget target, SSLContext tls) {
        this.target = target;
        this.tls = tls;
        thread.setDaemon(true);
    }

    /** Begins. */
    public void start() {
        thread.start();
    }

    public FleetCounters counters() {
        return counters;
    }

    private static long millis() {
        return System.nanoTime() / 1_000_000;
    }

    /**
     * The configuration was read: another fleet, or the same. A part that was refused together with the file before is asked for again.
     *
     * @param now null for no fleet
     */
    public void configure(FleetSettings now) {
        lock.lock();
        try {
            if (now == null || !now.equals(settings)) {
                settings = now;
                fetch = now == null ? null : HttpFetch.of(now.url(), ErrorCode.REPOSITORY_UNREACHABLE).tls(tls).token(now.token()).timeout(TIMEOUT);
                core = new AgentCore(millis(), FleetTimes.PRESET.poll(), new SplittableRandom(ThreadLocalRandom.current().nextLong()));
                refusal = null;
                problem = null;
                contact = -1;
            } else if (refusal != null) {
                core.forget(millis());
            }
            woken.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Null for no fleet. */
    public FleetView view() {
        lock.lock();
        try {
            StoredPart part = target.inForce();
            return settings == null ? null : new FleetView(settings.url(), settings.name(), part == null ? 0 : part.generation(), part == null ? null : part.part().sha256(),
                    refusal == null ? null : refusal.code() + " " + refusal.message(), problem, contact < 0 ? -1 : millis() - contact);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                FleetSettings now;
                HttpFetch server;
                AgentCore.Action action;
                lock.lockInterruptibly();
                try {
                    action = next();
                    now = settings;
                    server = fetch;
                    talks = action != null;
                } finally {
                    lock.unlock();
                }
                if (action == null) {
                    return;
                }
                act(now, server, action);
            }
        } catch (InterruptedException e) {
            LOG.debug("the fleet is not asked any more");
        }
    }

    /** What is due, when it is; null if it is over. */
    private AgentCore.Action next() throws InterruptedException {
        while (!closed) {
            AgentCore.Action action = settings == null ? null : core.next(millis());
            if (action instanceof AgentCore.Wait wait) {
                woken.await(wait.millis(), TimeUnit.MILLISECONDS);
            } else if (action == null) {
                woken.await();
            } else {
                return action;
            }
        }
        return null;
    }

    private void act(FleetSettings now, HttpFetch server, AgentCore.Action action) {
        boolean ask = action instanceof AgentCore.Ask;
        try {
            if (action instanceof AgentCore.Ask question) {
                ask(now, server, question.tag());
            } else {
                report(now, server);
            }
        } catch (AnepException e) {
            boolean silent = e.code() == ErrorCode.REPOSITORY_UNREACHABLE || e.code() == ErrorCode.BUSY;
            after(now, () -> {
                if (silent) {
                    counters.failed().increment();
                    core.failed(millis());
                } else if (ask) {
                    core.refused(millis());
                } else {
                    core.reported(millis(), FleetTimes.PRESET.report().toMillis());
                }
                problem(e.getMessage(), e.code() == ErrorCode.NOT_FOUND);
            });
        } catch (RuntimeException e) {
            LOG.error("a defect: the fleet is asked again later", e);
            after(now, () -> core.failed(millis()));
        }
    }

    /** Unless the fleet is another one by now. */
    private void after(FleetSettings asked, Runnable step) {
        lock.lock();
        try {
            if (asked.equals(settings)) {
                step.run();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Says once what is wrong, and once that it is right again. @param usual whether it may be so for a while, as before a ring begins */
    private void problem(String now, boolean usual) {
        if (now != null && problem == null) {
            LOG.atLevel(usual ? Level.INFO : Level.WARN).log("the node goes on with what it has of its fleet: {}", now);
        } else if (now == null && problem != null) {
            LOG.info("the fleet's server has an answer again");
        }
        problem = now;
    }

    /** The server has answered: what comes now is brought to its end. @return false if it is over */
    private boolean heard() {
        lock.lock();
        try {
            talks = false;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void ask(FleetSettings now, HttpFetch server, String tag) {
        Fetched fetched = server.ifChanged("/fleet/nodes/" + HttpFetch.segment(now.name()), tag == null ? null : '"' + tag + '"', PartAnswer.MOST_OCTETS);
        if (!heard()) {
            return;
        }
        counters.answered().increment();
        if (fetched.body().isEmpty()) {
            Facts facts = facts(target.health());
            after(now, () -> {
                core.unchanged(millis());
                answered();
                if (told != null && !told.equals(facts)) {
                    core.changed(millis());
                }
            });
            return;
        }
        PartAnswer answer = PartAnswer.read(parse(fetched.body().get()), now.name());
        PartRefusal refused = take(answer);
        after(now, () -> {
            refusal = refused;
            core.tried(millis(), fetched.etag() == null ? null : fetched.etag().replace("\"", ""), answer.poll());
            answered();
        });
    }

    private static JsonNode parse(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.FLEET_STATE, "what the fleet's server answers is no JSON", e);
        }
    }

    private void answered() {
        contact = millis();
        problem(null, true);
    }

    private Facts facts(Health health) {
        return new Facts(health.status(), health.problems(), target.drift(), target.restart());
    }

    /** @return why it is not in force; null if it is */
    private PartRefusal take(PartAnswer answer) {
        StoredPart before = target.inForce();
        try {
            if (target.revoke(answer.revoked())) {
                LOG.info("the fleet revokes {} things", answer.revoked().size());
            }
            if (before != null && before.part().equals(answer.part())) {
                return null;
            }
            FleetKeys.check("", answer.part().values(), true);
            target.take(new StoredPart(answer.generation(), answer.part()));
            counters.taken().increment();
            LOG.info("generation {} of the fleet is in force", answer.generation());
            return null;
        } catch (AnepException e) {
            counters.refused().increment();
            LOG.error("generation {} of the fleet is refused, and what was in force still is: {}", answer.generation(), e.getMessage());
            return new PartRefusal(answer.part().sha256(), e.code().toString(), NodeReport.cut(e.text()));
        }
    }

    private void report(FleetSettings now, HttpFetch server) {
        Health health = target.health();
        Facts facts = facts(health);
        StoredPart part = target.inForce();
        NodeReport report = new NodeReport(part == null ? 0 : part.generation(), part == null ? null : part.part().sha256(), refusal, health, facts.drift(), facts.restart(), target.version());
        JsonNode answer = server.post("/fleet/nodes/" + HttpFetch.segment(now.name()) + "/report", report.json());
        counters.reports().increment();
        after(now, () -> {
            told = facts;
            core.reported(millis(), Math.max(1, answer.path("reportMillis").asLong(FleetTimes.PRESET.report().toMillis())));
            core.period(millis(), Duration.ofMillis(Math.max(1, answer.path("pollMillis").asLong(FleetTimes.PRESET.poll().toMillis()))));
            contact = millis();
        });
    }

    /** Ends within two seconds, whatever the server does. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            woken.signal();
            if (talks) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
