package org.tamanoir.observatory.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;
import org.tamanoir.observatory.store.Documents;
import org.tamanoir.observatory.store.Documents.Format;
import org.tamanoir.observatory.store.Documents.Kind;
import org.tamanoir.observatory.store.Documents.Version;
import org.tamanoir.observatory.store.Samples;
import org.tamanoir.observatory.store.SeriesStore;
import org.tamanoir.observatory.store.Streams;
import org.tamanoir.observatory.store.Theodolites;
import org.tamanoir.paths.agenda.Run;
import org.tamanoir.paths.cost.SampleBook;
import org.tamanoir.paths.file.PlanFile;
import org.tamanoir.paths.file.PsConfig;
import org.tamanoir.paths.file.TopologyFile;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Session;
import org.tamanoir.paths.topology.Topology;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.paths.wire.Line;
import org.tamanoir.paths.wire.Peer;
import org.tamanoir.paths.wire.PlannedSession;
import org.tamanoir.paths.wire.Registration;
import org.tamanoir.paths.wire.RunReport;
import org.tamanoir.paths.wire.TheodolitePlan;

/** Plan and topology in force, and what follows from them: for theodolites, for the agenda, for costs. */
public final class Observatory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Observatory.class);
    /** Often enough that a run begins within a part of a second of its time. */
    private static final long LOOK_MILLIS = 250;
    private static final long MAINTAIN_SECONDS = 10;
    private static final long FORGET_SECONDS = 600;
    private static final int NOTHING_YET = 0;
    /** Of streams, that are read back at a start. */
    private static final int MOST_RATES = 20_000;

    /** @param plan null if there is none yet */
    private record InForce(long version, Plan plan, Map<String, List<Session>> byTheodolite, Map<String, Session> byId) {
    }

    /**
     * What came of a text that was put.
     *
     * @param notes what is not as somebody may think
     */
    public record Put(Version version, int sessions, List<String> notes) {
    }

    private final Database database;
    private final Documents documents;
    private final Theodolites theodolites;
    private final Samples samples;
    private final Streams streams;
    private final SeriesStore series;
    private final Knowledge knowledge = new Knowledge();
    private final Slots slots = new Slots(now());
    private final Waiting forPlan = new Waiting();
    private final Waiting forRuns = new Waiting();
    private final Map<String, Long> seen = new ConcurrentHashMap<>();
    private final Intake intake;
    private final Duration sync;
    private final Duration keep;
    private final Duration keepStreams;
    private final ScheduledExecutorService clock = executor("observatory-agenda");
    private final ScheduledExecutorService maintenance = executor("observatory-maintenance");
    private volatile InForce inForce = new InForce(NOTHING_YET, null, Map.of(), Map.of());
    private volatile String problem;

    /**
     * Begins.
     *
     * @param sync        how long a theodolite goes on before it asks for its plan
     * @param keep        how long samples are kept
     * @param keepStreams how long it is kept what streams did
     */
    public Observatory(Database database, Duration sync, Duration keep, Duration keepStreams) {
        this.database = database;
        this.sync = sync;
        this.keep = keep;
        this.keepStreams = keepStreams;
        documents = new Documents(database);
        theodolites = new Theodolites(database);
        samples = new Samples(database, theodolites, keep);
        streams = new Streams(database, theodolites);
        series = new SeriesStore(database, theodolites);
        intake = new Intake(theodolites, samples, streams, series, knowledge, keep.toMillis());
        documents.current(Kind.PLAN).ifPresent(version -> inForce = inForce(version));
        Topology topology = documents.current(Kind.TOPOLOGY).map(version -> TopologyFile.parse(version.content())).orElse(Topology.NONE);
        apply(topology, now());
        clock.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        maintenance.scheduleWithFixedDelay(this::check, MAINTAIN_SECONDS, MAINTAIN_SECONDS, TimeUnit.SECONDS);
        maintenance.scheduleWithFixedDelay(this::forget, 1, FORGET_SECONDS, TimeUnit.SECONDS);
    }

    private static ScheduledExecutorService executor(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    static long now() {
        return System.currentTimeMillis();
    }

    // Plan and topology

    private static InForce inForce(Version version) {
        Plan plan = parse(version.format(), version.content()).plan().withVersion(version.version());
        Map<String, List<Session>> byTheodolite = new HashMap<>();
        Map<String, Session> byId = new LinkedHashMap<>();
        for (Session each : plan.sessions()) {
            byTheodolite.computeIfAbsent(each.from(), name -> new ArrayList<>()).add(each);
            byId.put(each.id(), each);
        }
        return new InForce(version.version(), plan, byTheodolite, byId);
    }

    private static PsConfig.Imported parse(Format format, String content) {
        return format == Format.PSCONFIG ? PsConfig.parse(content) : new PsConfig.Imported(PlanFile.parse(content), List.of());
    }

    /** Another plan. @param expected as in {@link Documents#put} @throws AnepException EE-780 if it is none: the one before stays */
    public synchronized Put putPlan(Format format, String content, String who, Long expected) {
        PsConfig.Imported imported = parse(format, content);
        Version version = documents.put(Kind.PLAN, format, content, who, now(), expected);
        InForce next = inForce(version);
        inForce = next;
        apply(knowledge.topology(), now());
        changed();
        LOG.info("plan {} by {}: {} theodolites, {} sessions", version.version(), who, next.plan().theodolites().size(), next.byId().size());
        return new Put(version, next.byId().size(), imported.notes());
    }

    /** Another topology. @throws AnepException EE-780 if it is none: the one before stays */
    public synchronized Put putTopology(String content, String who, Long expected) {
        Topology topology = TopologyFile.parse(content);
        Version version = documents.put(Kind.TOPOLOGY, Format.YAML, content, who, now(), expected);
        apply(topology, now());
        changed();
        LOG.info("topology {} by {}: {} domains", version.version(), who, topology.domains().size());
        return new Put(version, 0, topology.warnings());
    }

    private void apply(Topology topology, long now) {
        InForce current = inForce;
        Function<String, Set<String>> bottlenecks = bottlenecks(topology);
        slots.replace(current.byId().values().stream().filter(each -> each.test().kind().isExpensive()).toList(), bottlenecks, now);
        knowledge.replace(current.plan(), topology, this::kept, now);
    }

    private void kept(Consumer<Line> taker) {
        samples.newest(SampleBook.MOST_SAMPLES, taker::accept);
        streams.ratesOfPaths(MOST_RATES, taker::accept);
    }

    private Function<String, Set<String>> bottlenecks(Topology topology) {
        return name -> topology.bottlenecks(host(name));
    }

    private void changed() {
        forPlan.look(now(), forPlan.names(), this::plan);
        forRuns.look(now(), forRuns.names(), this::runs);
    }

    /** Null if there is none yet. */
    public Plan plan() {
        return inForce.plan();
    }

    public Documents documents() {
        return documents;
    }

    /** The host of a theodolite, as the plan has it; any other name is a host itself. */
    public String host(String name) {
        Plan plan = inForce.plan();
        return plan != null && plan.theodolites().containsKey(name) ? plan.host(name) : name;
    }

    // Theodolites

    /** @throws AnepException EE-782 if the name is another's, EE-408 if it is none */
    public void register(String name, String identity, Registration said) {
        if (!Plan.NAME.matcher(name).matches()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + name + "' is no name: " + Plan.NAME_FORM);
        }
        Theodolites.Entry before = theodolites.register(name, identity, said, now());
        seen.put(name, now());
        if (before == null || !before.registration().equals(said)) {
            LOG.info("theodolite {} of {} is registered: {}", name, identity, said);
            changed();
        }
    }

    /** What a theodolite is to do. @param tag that it knows; null to be answered at once @throws AnepException EE-407, EE-782 */
    public CompletableFuture<Tagged> plan(String name, String identity, String tag, long waitMillis) {
        theodolites.owned(name, identity);
        return await(forPlan, name, tag, waitMillis, this::plan);
    }

    /** The runs of a theodolite that are under way. @throws AnepException EE-407, EE-782 */
    public CompletableFuture<Tagged> runs(String name, String identity, String tag, long waitMillis) {
        theodolites.owned(name, identity);
        seen.put(name, now());
        return await(forRuns, name, tag, waitMillis, this::runs);
    }

    private static CompletableFuture<Tagged> await(Waiting waiting, String name, String tag, long waitMillis, Function<String, Tagged> documents) {
        Tagged document = documents.apply(name);
        if (waitMillis <= 0 || !document.tag().equals(tag)) {
            return CompletableFuture.completedFuture(document);
        }
        CompletableFuture<Tagged> answer = waiting.await(name, document, now() + waitMillis);
        // It may have changed before it was waited for.
        waiting.look(now(), List.of(name), documents);
        return answer;
    }

    private Tagged plan(String name) {
        InForce current = inForce;
        List<PlannedSession> sessions = current.byTheodolite().getOrDefault(name, List.of()).stream()
                .map(each -> new PlannedSession(each.id(), each.task(), peer(each.to()), each.qosClass(), each.codePoint(), each.test(), each.schedule())).toList();
        return Tagged.of(new TheodolitePlan(current.version(), sync, name, sessions).json(), new TheodolitePlan(NOTHING_YET, sync, name, sessions).json());
    }

    private Tagged runs(String name) {
        String json = BookedRun.json(slots.of(name, this::peer));
        return Tagged.of(json, json);
    }

    /** The host is the operator's word, the ports are the theodolite's: it cannot send others' probes to a third party. */
    private Peer peer(String name) {
        Plan plan = inForce.plan();
        Theodolites.Entry entry = theodolites.find(name);
        Registration said = entry == null ? null : entry.registration();
        boolean isPlanned = plan != null && plan.theodolites().containsKey(name);
        String host = host(name);
        String address = isPlanned ? plan.theodolites().get(name) : name;
        String text = host.contains(":") ? "[" + host + "]" : host;
        String planned = address.startsWith(text + ":") ? address.substring(text.length() + 1) : null;
        int reflector = said == null || said.reflector() == null ? Peer.REFLECTOR_PORT : Registration.port(said.reflector());
        return new Peer(name, host, text + ":" + (said == null ? Peer.ANEP_PORT : Registration.port(said.anep())), text + ":" + (planned != null ? planned : reflector));
    }

    /** @throws AnepException EE-407, EE-782 */
    public void report(long number, String identity, RunReport report) {
        theodolites.owned(report.theodolite(), identity);
        Set<String> names = slots.report(number, report.theodolite(), report.why(), now());
        forRuns.look(now(), names, this::runs);
    }

    /** A run of a session of the plan as soon as it can be. @throws AnepException EE-407 if there is no such session, EE-410 if it cannot be within the time */
    public Run ask(String session, long within) {
        Session found = inForce.byId().get(session);
        if (found == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the plan has no session " + session);
        }
        return slots.ask(found, bottlenecks(knowledge.topology()), now(), within);
    }

    /** When a theodolite last asked for its runs, milliseconds of the epoch; 0 for never. */
    public long seen(String name) {
        return seen.getOrDefault(name, 0L);
    }

    public Theodolites theodolites() {
        return theodolites;
    }

    public Intake intake() {
        return intake;
    }

    public Samples samples() {
        return samples;
    }

    public Streams streams() {
        return streams;
    }

    public SeriesStore series() {
        return series;
    }

    public Knowledge knowledge() {
        return knowledge;
    }

    public Slots slots() {
        return slots;
    }

    public Database database() {
        return database;
    }

    /** Requests that wait for news. */
    public int waiting() {
        return forPlan.count() + forRuns.count();
    }

    /** What is wrong with the database; null if nothing is. */
    public String problem() {
        return problem;
    }

    // By the clock

    private void look() {
        try {
            long now = now();
            Set<String> names = new TreeSet<>(slots.look(now, this::seen));
            forRuns.look(now, names, this::runs);
            forPlan.look(now, List.of(), this::plan);
        } catch (RuntimeException e) {
            LOG.error("the agenda could not be looked at", e);
        }
    }

    private void check() {
        String found = null;
        try {
            database.check();
            database.read(handle -> handle.createQuery("SELECT 1").mapTo(Integer.class).one());
        } catch (AnepException e) {
            found = e.getMessage();
        } catch (RuntimeException e) {
            found = e.toString();
        }
        if (found != null && !found.equals(problem)) {
            LOG.warn("{}", found);
        } else if (found == null && problem != null) {
            LOG.info("the database can be used again");
        }
        problem = found;
    }

    private void forget() {
        try {
            int gone = samples.forget(now() - keep.toMillis());
            if (gone > 0) {
                LOG.info("{} samples were older than {} days and are forgotten", gone, keep.toDays());
            }
            int past = streams.forget(now() - keepStreams.toMillis());
            series.forget(now() - keepStreams.toMillis(), now() - keep.toMillis());
            if (past > 0) {
                LOG.info("what {} streams did is older than {} days and is forgotten", past, keepStreams.toDays());
            }
        } catch (AnepException e) {
            LOG.warn("old samples are not forgotten: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("old samples could not be forgotten", e);
        }
    }

    /** Who waits is answered. */
    public void stopWaiting() {
        forPlan.close(this::plan);
        forRuns.close(this::runs);
    }

    @Override
    public void close() {
        clock.shutdown();
        maintenance.shutdown();
        try {
            clock.awaitTermination(5, TimeUnit.SECONDS);
            maintenance.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        database.close();
    }
}
