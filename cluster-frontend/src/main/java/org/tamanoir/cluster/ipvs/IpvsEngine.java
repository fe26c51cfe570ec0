package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.engine.Engine.Counters;
import org.tamanoir.cluster.engine.Engine.EngineStatus;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;

/**
 * Carries a plan by IPVS and keepalived. A change of weights alone goes into files that keepalived watches; any other is a new configuration, tested before it
 * is used, taken over by a reload, and looked for in the kernel afterwards. A keepalived that dies is started again; what it has put into the kernel goes on
 * meanwhile, unchecked.
 */
public final class IpvsEngine implements Engine {
    private static final Logger LOG = LoggerFactory.getLogger(IpvsEngine.class);
    private static final Duration WATCH = Duration.ofSeconds(2);
    private static final Duration ALIVE_FOR = Duration.ofSeconds(1);

    private final IpvsSettings settings;
    private final String why;
    private final OwnDirectory directory;
    private final IpvsState kernel;
    private final Keepalived keepalived;
    private final WeightFiles weights;
    private final RoleFifo role;
    private final BackOff backOff = new BackOff();
    private final ScheduledExecutorService clock;
    private volatile List<Director.Service> services = List.of();
    private SupersededServices lingering = SupersededServices.NONE;
    private volatile String problem;
    private volatile boolean carries;
    private volatile Seen seen = Seen.old(Set.of());
    private boolean applied;
    private boolean closed;
    private String text = "";
    private Set<KeepalivedConf.Place> in = Set.of();
    private long startedAt;

    /** Who is alive, and when that was looked up. */
    private record Seen(Set<String> names, long at) {
        /** So long ago that it is looked up again. */
        static Seen old(Set<String> names) {
            return new Seen(names, System.nanoTime() - ALIVE_FOR.toNanos());
        }
    }

    /**
     * Takes the directory; touches nothing in the kernel before the first plan. What an earlier front-end that was killed has left there carries on until then.
     *
     * @param why this engine was chosen, see {@link EngineStatus#why}
     * @throws AnepException EE-905 if keepalived is missing or another front-end has the directory, EE-907 if ipvsadm is missing
     */
    public IpvsEngine(IpvsSettings settings, String why) {
        this.settings = settings;
        this.why = why;
        SystemProgram program = Keepalived.program();
        Ipvsadm ipvsadm = new Ipvsadm();
        directory = new OwnDirectory(settings.directory());
        try {
            kernel = new IpvsState(directory.path(), ipvsadm, settings);
            keepalived = new Keepalived(directory.path(), program);
            weights = new WeightFiles(KeepalivedConf.weights(directory.path()));
            role = settings.vrrp() == null ? null : new RoleFifo(KeepalivedConf.roleFifo(directory.path()));
        } catch (RuntimeException e) {
            directory.close();
            throw e;
        }
        clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tamanoir-ipvs");
            thread.setDaemon(true);
            return thread;
        });
        clock.scheduleWithFixedDelay(this::watch, WATCH.toMillis(), WATCH.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public String name() {
        return "ipvs";
    }

    @Override
    public synchronized void apply(Plan plan) {
        if (closed) {
            throw new AnepException(ErrorCode.KEEPALIVED, "the engine is closed");
        }
        List<Director.Service> next = Director.services(plan, settings);
        DirectorProblems.checkInterfaces(settings.vrrp());
        kernel.checkForeign(next);
        if (!keepalived.running()) {
            start(next);
        } else {
            change(next);
        }
        applied = true;
        carries = true;
        // Who gets streams is looked up again: it may be others now.
        seen = Seen.old(seen.names);
        problem = DirectorProblems.of(next, settings.vrrp() == null);
    }

    /** Starts keepalived with services; those of an earlier run that stay in the kernel are not interrupted. */
    private void start(List<Director.Service> next) {
        SupersededServices old = lingering.with(services, next, System.nanoTime());
        List<Director.Service> all = old.behind(next);
        keepalived.test(KeepalivedConf.text(all, settings, Set.of()));
        keepalived.endOrphan(kernel.state());
        kernel.expect(all);
        in = kernel.takeOver(all);
        weights.write(all);
        if (role != null) {
            role.forget();
        }
        text = KeepalivedConf.text(all, settings, in);
        keepalived.start(text, this::ended);
        startedAt = System.nanoTime();
        kernel.note(keepalived.pid());
        try {
            kernel.confirm(all, next, Set.of(), keepalived::lastWords);
        } catch (AnepException e) {
            undo();
            throw e;
        }
        settled(next, old);
        parametersSoon();
    }

    private void parametersSoon() {
        clock.schedule(this::setParameters, settings.checks().longest().plusSeconds(1).toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void setParameters() {
        if (!closed && !services.isEmpty()) {
            try {
                kernel.setParameters();
            } catch (AnepException e) {
                problem = e.getMessage();
                LOG.warn("{}", e.getMessage());
            }
        }
    }

    /** Leaves of a start that has failed no more than was there before. */
    private void undo() {
        keepalived.stop();
        try {
            kernel.takeOver(lingering.behind(services));
        } catch (AnepException e) {
            LOG.warn("not taken back: {}", e.getMessage());
        }
    }

    private void change(List<Director.Service> next) {
        SupersededServices old = lingering.with(services, next, System.nanoTime());
        List<Director.Service> all = old.behind(next);
        Set<KeepalivedConf.Place> well = KeepalivedConf.well(in, lingering.behind(services), all, alive());
        String changed = KeepalivedConf.text(all, settings, well);
        if (changed.equals(text)) {
            weights.write(all);
            services = next;
            lingering = old;
            return;
        }
        keepalived.test(changed);
        kernel.expect(all);
        weights.write(all);
        keepalived.reload(changed);
        Set<KeepalivedConf.Place> fresh = new HashSet<>(well);
        fresh.removeAll(in);
        try {
            kernel.confirm(all, next, fresh, keepalived::lastWords);
        } catch (AnepException e) {
            back(e);
            throw e;
        }
        text = changed;
        in = well;
        boolean first = services.isEmpty();
        settled(next, old);
        if (first) {
            parametersSoon();
        }
    }

    /** Back to the last good configuration. */
    private void back(AnepException refused) {
        LOG.warn("back to the configuration before: {}", refused.getMessage());
        try {
            weights.write(lingering.behind(services));
            keepalived.reload(text);
            kernel.confirm(lingering.behind(services), services, Set.of(), keepalived::lastWords);
        } catch (AnepException e) {
            LOG.warn("the configuration before is not in place: {}", e.getMessage());
            problem = e.getMessage();
            carries = false;
        }
    }

    private void settled(List<Director.Service> next, SupersededServices old) {
        kernel.settled(old.behind(next));
        weights.keepOnly(old.behind(next));
        services = next;
        lingering = old;
    }

    /** keepalived has ended; called by the JDK. */
    private void ended(Process process) {
        try {
            clock.execute(() -> restart(process));
        } catch (RejectedExecutionException e) {
            LOG.debug("keepalived has ended with the engine");
        }
    }

    private synchronized void restart(Process process) {
        if (closed || process.pid() != keepalived.pid() || keepalived.running()) {
            return;
        }
        Duration wait = backOff.after(Duration.ofNanos(System.nanoTime() - startedAt));
        failed(new AnepException(ErrorCode.KEEPALIVED, "keepalived has ended (exit code " + process.exitValue() + "): " + keepalived.lastWords()), wait);
    }

    private void failed(RuntimeException error, Duration wait) {
        problem = error.getMessage();
        carries = false;
        if (role != null) {
            role.forget();
        }
        LOG.warn("{}; it is started again in {} ms", error.getMessage(), wait.toMillis());
        clock.schedule(this::startAgain, wait.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void startAgain() {
        if (closed || keepalived.running()) {
            return;
        }
        try {
            start(services);
            carries = true;
            problem = null;
        } catch (RuntimeException e) {
            failed(e, backOff.after(Duration.ZERO));
        }
    }

    /** Others may have emptied the kernel's tables ({@code ipvsadm -C}, {@code nft flush ruleset}): keepalived does not see it. */
    private synchronized void watch() {
        if (closed || !applied || !keepalived.running()) {
            return;
        }
        try {
            if (kernel.lost(lingering.behind(services), services) || !carries) {
                LOG.warn("virtual services are not in the kernel any more; keepalived is started again");
                keepalived.stop();
                start(services);
                carries = true;
            }
            if (!lingering.services().isEmpty() && lingering.over(kernel.table(), System.nanoTime())) {
                lingering = SupersededServices.NONE;
                change(services);
            }
            kernel.endLingering();
            problem = DirectorProblems.of(services, settings.vrrp() == null);
        } catch (RuntimeException e) {
            // Whatever it is must not end the watch.
            failed(e, backOff.after(Duration.ZERO));
        }
    }

    @Override
    public Set<String> alive() {
        Seen last = seen;
        if (System.nanoTime() - last.at < ALIVE_FOR.toNanos()) {
            return last.names;
        }
        List<Director.Service> now = services;
        try {
            Set<String> names = now.isEmpty() ? Set.of() : Director.serving(now, kernel.table(), last.names);
            seen = new Seen(names, System.nanoTime());
            return names;
        } catch (AnepException e) {
            LOG.warn("who is alive is not known now: {}", e.getMessage());
            return last.names;
        }
    }

    /** Where TCP and UDP share a firewall mark the kernel counts them together: the service over TCP has the counters of both. */
    @Override
    public List<Counters> counters() {
        List<Director.Service> now = services;
        return now.isEmpty() ? List.of() : Readings.counters(now, kernel.table(), kernel.statistics(), kernel.rates());
    }

    @Override
    public EngineStatus status() {
        if (role == null) {
            return new EngineStatus(carries, why, "alone", problem);
        }
        String now = role.role();
        boolean fault = now.equals(RoleFifo.FAULT);
        return new EngineStatus(carries, why, fault ? RoleFifo.BACKUP : now, problem != null || !fault ? problem
                : ErrorCode.KEEPALIVED + " VRRP cannot run: the interface " + settings.vrrp().networkInterface() + " is down or gone");
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        clock.shutdownNow();
        keepalived.stop();
        keepalived.endOrphan(kernel.state());
        boolean clean = kernel.clear();
        if (role != null) {
            role.close();
        }
        weights.keepOnly(List.of());
        keepalived.deleteFiles();
        if (clean) {
            try {
                kernel.forget();
            } catch (IOException e) {
                LOG.warn("cannot delete the state of the engine: {}", AnepException.reason(e));
            }
        }
        directory.close();
    }

    /** How long to wait before a program that has died is started again: not at all at first, then twice as long each time. No I/O. */
    static final class BackOff {
        static final Duration FIRST = Duration.ofMillis(250);
        static final Duration MOST = Duration.ofSeconds(10);
        /** Who has lived so long begins anew. */
        static final Duration WELL = Duration.ofSeconds(30);

        private Duration next = Duration.ZERO;

        /** @param lived how long the program ran */
        Duration after(Duration lived) {
            if (lived.compareTo(WELL) >= 0) {
                next = Duration.ZERO;
            }
            Duration wait = next;
            Duration doubled = next.isZero() ? FIRST : next.multipliedBy(2);
            next = doubled.compareTo(MOST) > 0 ? MOST : doubled;
            return wait;
        }
    }

    /** Counters of a plan from the lists of ipvsadm. No I/O. */
    static final class Readings {
        private Readings() {
        }

        /**
         * One for each back end of each service, in their order; zeros for one that is not in the kernel.
         *
         * @param table  see {@link Ipvsadm#table}
         * @param totals see {@link Ipvsadm#statistics}
         * @param rates  see {@link Ipvsadm#rates}
         */
        static List<Counters> counters(List<Director.Service> services, IpvsTable table, IpvsTable totals, IpvsTable rates) {
            List<Counters> counters = new ArrayList<>();
            for (Director.Service service : services) {
                for (RealServer server : service.servers()) {
                    ServiceKey key = service.key();
                    InetSocketAddress end = key.place(server);
                    counters.add(new Counters(service.first(), server, totals.number(key, end, 0), table.number(key, end, 2), table.number(key, end, 3),
                            totals.number(key, end, 1), totals.number(key, end, 2), totals.number(key, end, 3), totals.number(key, end, 4),
                            rates.number(key, end, 0), rates.number(key, end, 3), rates.number(key, end, 4)));
                }
            }
            return counters;
        }
    }
}
