package org.tamanoir.node.deploy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.LifecycleAction.Acquire;
import org.tamanoir.node.deploy.LifecycleAction.Answer;
import org.tamanoir.node.deploy.LifecycleAction.Choose;
import org.tamanoir.node.deploy.LifecycleAction.Current;
import org.tamanoir.node.deploy.LifecycleAction.EndStreams;
import org.tamanoir.node.deploy.LifecycleAction.Join;
import org.tamanoir.node.deploy.LifecycleAction.Tell;
import org.tamanoir.node.deploy.LifecycleAction.Uninstall;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.trust.Publisher;

/**
 * The versions of one service on one node: which of them streams get, which drain, and what follows when one fails. It has no clock, no
 * threads and no I/O: every event brings the time, and what is to be done is left in {@link #actions}. One thread at a time.
 *
 * <p>Upgrades are side by side: a version that is on its way changes nothing for streams until it has started; then new streams get it
 * and the version before drains. While the new one is on probation the version before stays installed, and comes back if too many of the
 * first streams fail.
 */
final class VersionLifecycle {
    /** Versions that are gone or have failed and that operators still see. */
    private static final int REMEMBERED = 8;

    private final int typeId;
    private final Supplier<LifecycleSettings> settings;
    private final List<ServiceVersion> versions = new ArrayList<>();
    private final List<LifecycleAction> actions = new ArrayList<>();
    private final Set<String> pinned = new HashSet<>();
    private final Probation probation = new Probation();
    private final Suspension suspension = new Suspension();
    private ServiceVersion current;
    private long currentSince;

    VersionLifecycle(int typeId, Supplier<LifecycleSettings> settings) {
        this.typeId = typeId;
        this.settings = settings;
    }

    /** What is to be done since the last call. */
    List<LifecycleAction> actions() {
        List<LifecycleAction> taken = List.copyOf(actions);
        actions.clear();
        return taken;
    }

    // What streams and operators want.

    /**
     * A stream wants the service.
     *
     * @param wanted the version that is pinned for the stream, or null for whichever is current
     * @param asker  on whose account it is got if it is not here
     */
    CompletableFuture<RunningService> ask(long now, String wanted, Asker asker) {
        if (wanted != null && (current == null || !wanted.equals(current.version()))) {
            return askPinned(now, wanted, asker);
        }
        if (current != null) {
            return CompletableFuture.completedFuture(current.running);
        }
        if (suspension.standIn() != null) {
            return CompletableFuture.completedFuture(suspension.standIn());
        }
        ServiceVersion coming = underWay(null);
        if (coming != null) {
            return join(coming, asker);
        }
        AnepException failure = suspension.failure(now);
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        String suspended = suspension.version();
        // A fresh start is due: the node's own work, whoever is the first to notice.
        return begin(now, suspended, true, false, null, suspended == null ? asker : Asker.NODE);
    }

    /** It is on its way already, perhaps behind others on somebody else's account. */
    private CompletableFuture<RunningService> join(ServiceVersion coming, Asker asker) {
        actions.add(new Join(coming, asker));
        return coming.future();
    }

    private CompletableFuture<RunningService> askPinned(long now, String wanted, Asker asker) {
        for (ServiceVersion version : versions) {
            boolean usable = version.state == ServiceState.ACTIVE || version.state == ServiceState.DRAINING && !version.ending;
            if (usable && wanted.equals(version.version())) {
                if (version.state == ServiceState.DRAINING) {
                    enter(version, ServiceState.ACTIVE);
                }
                return CompletableFuture.completedFuture(version.running);
            }
        }
        ServiceVersion coming = underWay(wanted);
        if (coming != null) {
            return join(coming, asker);
        }
        for (ServiceVersion version : versions) {
            if (version.state == ServiceState.FAILED && wanted.equals(version.wanted()) && version.reason.code() != ErrorCode.BUSY
                    && now - version.endNanos < remember()) {
                return CompletableFuture.failedFuture(version.reason);
            }
        }
        return begin(now, wanted, false, false, null, asker);
    }

    /** An operator wants another version to be current; null for the newest. What runs already, or is under way, is that. */
    CompletableFuture<RunningService> upgrade(long now, String wanted) {
        ServiceVersion coming = underWay(wanted);
        return coming != null && coming.isGeneral() ? join(coming, Asker.NODE) : begin(now, wanted, true, true, null, Asker.NODE);
    }

    /** An operator has pushed a bundle, which is in the store and verified: it becomes current. */
    CompletableFuture<RunningService> push(long now, FoundBundle bundle) {
        return begin(now, bundle.version(), true, true, bundle, Asker.NODE);
    }

    /** Versions that came on probation and failed: not taken again unless they are named. */
    Set<String> returnedFrom() {
        return probation.returnedFrom();
    }

    private CompletableFuture<RunningService> begin(long now, String wanted, boolean general, boolean upgrade, FoundBundle pushed,
                                                    Asker asker) {
        ServiceVersion version = new ServiceVersion(typeId, wanted, general, upgrade, now);
        version.pushed = pushed;
        version.asker = asker;
        versions.add(version);
        enter(version, ServiceState.RESOLVING);
        actions.add(new Acquire(version));
        return version.future();
    }

    private ServiceVersion underWay(String wanted) {
        for (ServiceVersion version : versions) {
            if (version.isUnderWay() && (wanted == null ? version.isGeneral() : wanted.equals(version.version()))) {
                return version;
            }
        }
        return null;
    }

    // What becomes of a version on its way.

    /** It has come to another step. */
    void step(ServiceVersion version, ServiceState state) {
        if (version.isUnderWay() && version.state != state) {
            enter(version, state);
        }
    }

    /**
     * A source has it.
     *
     * @return false if just that content runs already: nothing is to be fetched, and the version that runs takes the place of this one
     * @throws AnepException EE-403 if the source gives the Type ID another name than the version that runs has
     */
    boolean found(long now, ServiceVersion version, FoundBundle bundle, String source) {
        String name = name();
        if (name != null && !name.equals(bundle.name())) {
            throw new AnepException(ErrorCode.TYPE_ID_TAKEN, source + " calls Type ID " + Anep.typeName(typeId) + " " + bundle.name()
                    + "; here it belongs to " + name);
        }
        for (ServiceVersion other : versions) {
            boolean usable = other.state == ServiceState.ACTIVE || other.state == ServiceState.DRAINING && !other.ending;
            if (usable && other.bundle.sha256().equals(bundle.sha256())) {
                reuse(now, version, other);
                return false;
            }
        }
        version.bundle = bundle;
        version.source = source;
        return true;
    }

    private void reuse(long now, ServiceVersion version, ServiceVersion other) {
        versions.remove(version);
        version.state = ServiceState.REMOVED;
        if (other.state == ServiceState.DRAINING) {
            enter(other, ServiceState.ACTIVE);
        }
        if (version.isGeneral() && other != current) {
            makeCurrent(now, other);
        }
        actions.add(new Answer(version.future(), other.running, null));
    }

    private String name() {
        for (ServiceVersion version : versions) {
            if (version.running != null && version.name() != null && !version.state.isEnd()) {
                return version.name();
            }
        }
        return null;
    }

    /**
     * Its publisher is known.
     *
     * @param provisional whether a repository could not say that it has nothing newer: after a restart that is asked again
     */
    void verified(ServiceVersion version, Publisher publisher, boolean provisional) {
        version.publisher = publisher;
        version.provisional = provisional;
    }

    /** It has been checked once more; its certificates may be others now. */
    void checked(ServiceVersion version, Publisher publisher) {
        version.publisher = publisher;
    }

    /** It runs. If it is not wanted any more it is taken out at once. */
    void started(long now, ServiceVersion version, RunningService running) {
        if (!version.isUnderWay()) {
            actions.add(new Uninstall(version, running));
            return;
        }
        version.running = running;
        running.cameFrom(version.source);
        version.endNanos = now;
        enter(version, ServiceState.ACTIVE);
        if (version.isGeneral()) {
            makeCurrent(now, version);
        }
        actions.add(new Answer(version.future(), running, null));
    }

    private void makeCurrent(long now, ServiceVersion version) {
        ServiceVersion before = current;
        current = version;
        currentSince = now;
        probation.begin(now, before, settings.get());
        // Streams that have a stand-in keep it; it holds nothing that must be given back.
        suspension.end();
        actions.add(new Current(version.running));
        actions.add(new Choose(version.provisional ? null : version.bundle));
        if (before != null && !pinned.contains(before.version())) {
            drain(now, before);
        }
    }

    private void drain(long now, ServiceVersion version) {
        version.drainedBy = now + settings.get().drain().toNanos();
        enter(version, ServiceState.DRAINING);
    }

    /** It cannot be had or does not start; what is current stays. */
    void failed(long now, ServiceVersion version, AnepException why, String advice) {
        if (!version.isUnderWay()) {
            return;
        }
        version.reason = why;
        version.advice = advice;
        version.endNanos = now;
        enter(version, ServiceState.FAILED);
        // A lack of room says nothing of the service: whoever asks next gets an attempt of his own.
        if (version.isGeneral() && current == null && why.code() != ErrorCode.BUSY) {
            suspension.remember(now, why, remember());
        }
        actions.add(new Answer(version.future(), null, why));
        forgetOld();
    }

    // What becomes of a version that runs.

    /** A stream of it has failed, by a defect of the service. */
    void streamFailed(long now, RunningService service, AnepException why) {
        if (current != null && current.running == service && probation.isOn(now, service) && probation.failed()) {
            goBack(now, probation.failures() + " of its first " + service.streamsTotal() + " streams failed, the last with "
                    + why.getMessage());
        }
    }

    private void goBack(long now, String why) {
        ServiceVersion bad = current;
        ServiceVersion good = probation.comeBack(bad);
        current = good;
        currentSince = now;
        if (good.state == ServiceState.DRAINING) {
            good.ending = false;
            enter(good, ServiceState.ACTIVE);
        }
        fail(now, bad, new AnepException(ErrorCode.SERVICE_SUSPENDED, why + "; new streams get " + good.version() + " again"),
                "mend it and publish it under a new version, or try it again with service upgrade --version " + bad.version());
        actions.add(new Current(good.running));
        actions.add(new Choose(good.provisional ? null : good.bundle));
    }

    /** It has failed too many streams in a short time: see {@link FailurePolicy}. */
    void tripped(long now, RunningService service) {
        if (current == null || current.running != service) {
            return;
        }
        if (probation.isOn(now, service)) {
            goBack(now, "it failed " + service.policy().failures() + " streams in a short time");
            return;
        }
        ServiceVersion bad = current;
        current = null;
        probation.end();
        fail(now, bad, suspension.open(now, service, "it failed " + service.policy().failures() + " streams within " + service.policy().window().toSeconds() + " s", now - currentSince),
                "the log names the failures; upgrade to a version without the defect, or undeploy it");
        actions.add(new Current(suspension.standIn()));
    }

    /** It takes more of what all share than it may: unlike one that fails, it does not keep the streams that it has. */
    void overused(long now, RunningService service, String what) {
        ServiceVersion bad = versions.stream().filter(version -> version.running == service && !version.cut).findFirst().orElse(null);
        if (bad == null) {
            return;
        }
        if (current == bad && probation.isOn(now, service)) {
            goBack(now, what);
        } else if (current == bad) {
            current = null;
            probation.end();
            fail(now, bad, suspension.open(now, service, what, now - currentSince), "mend it, or give it more in its policy");
            actions.add(new Current(suspension.standIn()));
        } else if (!bad.state.isEnd()) {
            if (probation.keeps(bad)) {
                probation.end();
            }
            bad.reason = new AnepException(ErrorCode.SERVICE_SUSPENDED, service + ": " + what);
            bad.advice = "mend it, or give it more in its policy";
            enter(bad, bad.state == ServiceState.DRAINING ? ServiceState.REMOVED : ServiceState.FAILED);
        }
        bad.cut = true;
        bad.drainedBy = now;
        tick(now);
    }

    /** It runs on for the streams that it has. */
    private void fail(long now, ServiceVersion version, AnepException why, String advice) {
        version.reason = why;
        version.advice = advice;
        version.drainedBy = now + settings.get().drain().toNanos();
        enter(version, ServiceState.FAILED);
    }

    /** The operator wants it gone; null for all versions. Old streams may finish. */
    void undeploy(long now, String wanted) {
        for (ServiceVersion version : List.copyOf(versions)) {
            if (wanted != null && !wanted.equals(version.version())) {
                continue;
            }
            version.forgotten = true;
            if (version.isUnderWay()) {
                cancel(now, version, new AnepException(ErrorCode.SERVICE_REMOVED, "the service was removed while it was being got"));
            } else if (version.state == ServiceState.ACTIVE) {
                leave(version);
                drain(now, version);
            }
        }
        if (wanted == null) {
            suspension.end();
            probation.forget();
            actions.add(new Current(null));
        }
        tick(now);
    }

    /** It must not run any more: its streams end. */
    void revoke(long now, ServiceVersion version, AnepException why) {
        version.forgotten = true;
        if (version.isUnderWay()) {
            cancel(now, version, why);
        } else if (version.running != null) {
            leave(version);
            version.reason = why;
            version.advice = "upgrade to a version that is not revoked";
            version.drainedBy = now;
            // One that has failed stays that: it still has the streams that it did not fail.
            if (!version.state.isEnd()) {
                enter(version, ServiceState.REMOVED);
            }
            tick(now);
        }
    }

    private void cancel(long now, ServiceVersion version, AnepException why) {
        version.reason = why;
        version.endNanos = now;
        enter(version, ServiceState.REMOVED);
        actions.add(new Answer(version.future(), null, why));
    }

    /** New streams do not get it any more. */
    private void leave(ServiceVersion version) {
        if (probation.keeps(version)) {
            probation.end();
        }
        if (current == version) {
            current = null;
            probation.end();
            actions.add(new Current(null));
            actions.add(new Choose(null));
        }
    }

    /** The versions that routes pin; one that is pinned no more drains. */
    void pins(long now, Set<String> wanted) {
        pinned.clear();
        pinned.addAll(wanted);
        for (ServiceVersion version : versions) {
            if (version.state == ServiceState.ACTIVE && version != current && !pinned.contains(version.version())) {
                drain(now, version);
            }
        }
    }

    /** Time has passed. */
    void tick(long now) {
        if (current != null && !probation.isOn(now, current.running)) {
            probation.end();
        }
        if (current == null && suspension.isDue(now) && underWay(null) == null) {
            begin(now, suspension.version(), true, false, null, Asker.NODE);
        }
        for (ServiceVersion version : List.copyOf(versions)) {
            boolean leaving = version.state == ServiceState.DRAINING || version.state.isEnd();
            if (version.running != null && leaving && !probation.keeps(version)) {
                takeOut(now, version);
            }
        }
    }

    private void takeOut(long now, ServiceVersion version) {
        if (version.running.retire()) {
            RunningService gone = version.running;
            version.running = null;
            if (version.state == ServiceState.DRAINING) {
                enter(version, ServiceState.REMOVED);
            }
            actions.add(new Uninstall(version, gone));
            forgetOld();
        } else if (now - version.drainedBy >= 0 && !version.ending) {
            version.ending = true;
            AnepException why = version.cut ? new AnepException(ErrorCode.SERVICE_SUSPENDED, version.reason.text())
                    : version.forgotten && version.reason != null
                    ? new AnepException(ErrorCode.SERVICE_REMOVED, version + " was removed: " + version.reason.getMessage())
                    : new AnepException(ErrorCode.SERVICE_REMOVED, "the time to drain of " + version + " is over; open the stream again");
            actions.add(new EndStreams(version.running, why));
        }
    }

    private void forgetOld() {
        List<ServiceVersion> gone = versions.stream().filter(version -> version.state.isEnd() && version.running == null).toList();
        for (int i = 0; i < gone.size() - REMEMBERED; i++) {
            versions.remove(gone.get(i));
        }
    }

    private void enter(ServiceVersion version, ServiceState to) {
        ServiceState from = version.state;
        if (from != null && !from.mayBecome(to)) {
            throw new IllegalStateException(version + " cannot go from " + from + " to " + to);
        }
        version.state = to;
        actions.add(new Tell(version, from, to));
    }

    private long remember() {
        return settings.get().remember().toNanos();
    }

    // What others ask.

    List<ServiceVersion> versions() {
        return List.copyOf(versions);
    }

    ServiceVersion current() {
        return current;
    }

    /** Whether nothing runs or is on its way, and no failure is young enough to be remembered. */
    boolean isForgettable(long now) {
        return versions.stream().allMatch(version -> !version.isUnderWay() && version.running == null) && suspension.version() == null
                && suspension.failure(now) == null;
    }

    List<ServiceStatus> statuses(long now) {
        return versions.stream().map(version -> version.status(now, version == current)).toList();
    }
}
