package org.tamanoir.node.deploy;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.LineAction.Acquire;
import org.tamanoir.node.deploy.LineAction.Answer;
import org.tamanoir.node.deploy.LineAction.Choose;
import org.tamanoir.node.deploy.LineAction.Current;
import org.tamanoir.node.deploy.LineAction.EndStreams;
import org.tamanoir.node.deploy.LineAction.Tell;
import org.tamanoir.node.deploy.LineAction.Uninstall;
import org.tamanoir.node.service.FailurePolicy;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.node.service.StandIn;
import org.tamanoir.trust.Publisher;

/**
 * The versions of one service on one node: which of them streams get, which drain, and what follows when one fails. It has no clock, no
 * threads and no I/O: every event brings the time, and what is to be done is left in {@link #actions}. One thread at a time.
 *
 * <p>Upgrades are side by side: a version that is on its way changes nothing for streams until it has started; then new streams get it
 * and the version before drains. While the new one is on probation the version before stays installed, and comes back if too many of the
 * first streams fail.
 */
final class ServiceLine {
    /** Versions that are gone or have failed and that operators still see. */
    private static final int REMEMBERED = 8;

    private final int typeId;
    private final Supplier<LineSettings> settings;
    private final List<ServiceVersion> versions = new ArrayList<>();
    private final List<LineAction> actions = new ArrayList<>();
    private final Set<String> pinned = new HashSet<>();
    private final Set<String> returnedFrom = new HashSet<>();
    private ServiceVersion current;
    /** The version before, while the current one is on probation. */
    private ServiceVersion fallback;
    private long probationEnd;
    private int probationFailures;
    /** In the place of a service whose circuit is open. */
    private RunningService standIn;
    private AnepException failure;
    private long retryAt;
    /** The version whose circuit is open and that is started anew at {@code retryAt}; null if there is none. */
    private String suspended;
    private long backOff;
    /** When the current version became current. */
    private long currentSince;

    ServiceLine(int typeId, Supplier<LineSettings> settings) {
        this.typeId = typeId;
        this.settings = settings;
    }

    /** What is to be done since the last call. */
    List<LineAction> actions() {
        List<LineAction> taken = List.copyOf(actions);
        actions.clear();
        return taken;
    }

    // What streams and operators want.

    /**
     * A stream wants the service.
     *
     * @param wanted   the version that is pinned for the stream, or null for whichever is current
     * @param previous the node that the stream came from, which may have it; or null
     */
    CompletableFuture<RunningService> ask(long now, String wanted, InetSocketAddress previous) {
        if (wanted != null && (current == null || !wanted.equals(current.version()))) {
            return askPinned(now, wanted, previous);
        }
        if (current != null) {
            return CompletableFuture.completedFuture(current.running);
        }
        if (standIn != null) {
            return CompletableFuture.completedFuture(standIn);
        }
        ServiceVersion coming = underWay(null);
        if (coming != null) {
            return coming.future();
        }
        if (failure != null && now < retryAt) {
            return CompletableFuture.failedFuture(failure);
        }
        return begin(now, suspended, true, false, null, previous);
    }

    private CompletableFuture<RunningService> askPinned(long now, String wanted, InetSocketAddress previous) {
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
            return coming.future();
        }
        for (ServiceVersion version : versions) {
            if (version.state == ServiceState.FAILED && wanted.equals(version.wanted()) && now - version.endNanos < remember()) {
                return CompletableFuture.failedFuture(version.reason);
            }
        }
        return begin(now, wanted, false, false, null, previous);
    }

    /** An operator wants another version to be current; null for the newest. What runs already, or is under way, is that. */
    CompletableFuture<RunningService> upgrade(long now, String wanted) {
        ServiceVersion coming = underWay(wanted);
        return coming != null && coming.isGeneral() ? coming.future() : begin(now, wanted, true, true, null, null);
    }

    /** An operator has pushed a bundle, which is in the store and verified: it becomes current. */
    CompletableFuture<RunningService> push(long now, FoundBundle bundle) {
        return begin(now, bundle.version(), true, true, bundle, null);
    }

    /** Versions that came on probation and failed: not taken again unless they are named. */
    Set<String> returnedFrom() {
        return Set.copyOf(returnedFrom);
    }

    private CompletableFuture<RunningService> begin(long now, String wanted, boolean general, boolean upgrade, FoundBundle pushed,
                                                    InetSocketAddress previous) {
        ServiceVersion version = new ServiceVersion(typeId, wanted, general, upgrade, now);
        version.pushed = pushed;
        version.previous = previous;
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

    /** Its publisher is known. */
    void verified(ServiceVersion version, Publisher publisher) {
        version.publisher = publisher;
    }

    /** It runs. If it is not wanted any more it is taken out at once. */
    void started(long now, ServiceVersion version, RunningService running) {
        if (!version.isUnderWay()) {
            actions.add(new Uninstall(version, running));
            return;
        }
        version.running = running;
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
        fallback = before;
        probationEnd = now + settings.get().probation().toNanos();
        probationFailures = 0;
        currentSince = now;
        failure = null;
        suspended = null;
        actions.add(new Current(version.running));
        if (standIn != null) {
            // Streams that have it keep it; it holds nothing that must be given back.
            standIn = null;
        }
        actions.add(new Choose(version.bundle));
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
        if (version.isGeneral() && current == null) {
            failure = why;
            if (suspended == null) {
                retryAt = now + remember();
            } else {
                backOff(now, null);
            }
        }
        actions.add(new Answer(version.future(), null, why));
        forgetOld();
    }

    // What becomes of a version that runs.

    /** A stream of it has failed, by a defect of the service. */
    void streamFailed(long now, RunningService service, AnepException why) {
        if (current == null || current.running != service || fallback == null || probationIsOver(now)) {
            return;
        }
        if (++probationFailures >= settings.get().failures()) {
            goBack(now, probationFailures + " of its first " + service.streamsTotal() + " streams failed, the last with " + why.getMessage());
        }
    }

    private boolean probationIsOver(long now) {
        return now >= probationEnd || current.running.streamsTotal() > settings.get().probationStreams();
    }

    private void goBack(long now, String why) {
        ServiceVersion bad = current;
        ServiceVersion good = fallback;
        returnedFrom.add(bad.version());
        fallback = null;
        current = good;
        if (good.state == ServiceState.DRAINING) {
            good.ending = false;
            enter(good, ServiceState.ACTIVE);
        }
        bad.reason = new AnepException(ErrorCode.SERVICE_SUSPENDED, why + "; new streams get " + good.version() + " again");
        bad.advice = "mend it and publish it under a new version, or try it again with service upgrade --version " + bad.version();
        bad.drainedBy = now + settings.get().drain().toNanos();
        enter(bad, ServiceState.FAILED);
        actions.add(new Current(good.running));
        actions.add(new Choose(good.bundle));
    }

    /** It has failed too many streams in a short time: see {@link FailurePolicy}. */
    void tripped(long now, RunningService service) {
        if (current == null || current.running != service) {
            return;
        }
        if (fallback != null && !probationIsOver(now)) {
            goBack(now, "it failed " + service.policy().failures() + " streams in a short time");
            return;
        }
        ServiceVersion bad = current;
        FailurePolicy policy = service.policy().onFailure();
        suspended = bad.version();
        current = null;
        fallback = null;
        backOff(now, service);
        String until = policy == FailurePolicy.RESTART ? "it is started anew in " + (retryAt - now) / 1_000_000 + " ms"
                : "streams go on under the policy " + policy.word() + " until it is started anew in " + (retryAt - now) / 1_000_000 + " ms";
        failure = new AnepException(ErrorCode.SERVICE_SUSPENDED, bad + " failed " + service.policy().failures() + " streams within "
                + service.policy().window().toSeconds() + " s; " + until);
        bad.reason = failure;
        bad.advice = "the log names the failures; upgrade to a version without the defect, or undeploy it";
        bad.drainedBy = now + settings.get().drain().toNanos();
        enter(bad, ServiceState.FAILED);
        standIn = policy == FailurePolicy.RESTART ? null : StandIn.of(service);
        actions.add(new Current(standIn));
    }

    private void backOff(long now, RunningService service) {
        if (service != null) {
            long first = service.policy().backOff().toNanos();
            long most = service.policy().mostBackOff().toNanos();
            // One that had run for long enough begins with the first pause again.
            backOff = backOff == 0 || now - currentSince > most ? first : Math.min(most, 2 * backOff);
        }
        retryAt = now + backOff;
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
            standIn = null;
            suspended = null;
            failure = null;
            returnedFrom.clear();
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
        if (fallback == version) {
            fallback = null;
        }
        if (current == version) {
            current = null;
            fallback = null;
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
        if (fallback != null && current != null && probationIsOver(now)) {
            fallback = null;
        }
        if (suspended != null && current == null && now >= retryAt && underWay(null) == null) {
            begin(now, suspended, true, false, null, null);
        }
        for (ServiceVersion version : List.copyOf(versions)) {
            boolean leaving = version.state == ServiceState.DRAINING || version.state.isEnd();
            if (version.running != null && leaving && version != fallback) {
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
            AnepException why = version.forgotten && version.reason != null
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
        return versions.stream().allMatch(version -> !version.isUnderWay() && version.running == null) && suspended == null
                && (failure == null || now >= retryAt);
    }

    List<ServiceStatus> statuses(long now) {
        return versions.stream().map(version -> version.status(now, version == current)).toList();
    }
}
