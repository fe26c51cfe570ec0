package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What the engine has in the kernel: its virtual services among others', the table of firewall marks, the parameters of IPVS. It is noted in the state file
 * before it is put there, so that the next start knows it whenever this one ends. Lists of virtual services may be read on any thread, the rest on one.
 */
final class IpvsState {
    private static final Logger LOG = LoggerFactory.getLogger(IpvsState.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration FILLED = Duration.ofSeconds(1);

    private final Ipvsadm ipvsadm;
    private final IpvsSysctls sysctls = new IpvsSysctls();
    private final IpvsSettings settings;
    private final StateFile file;
    private final StateFile.State before;
    private final String owner;
    private final FirewallMarks marks;
    private final Set<ServiceKey> owned = new HashSet<>();
    /** Those of a run before that nobody but this has in its configuration, with when they end at the latest. */
    private final Map<ServiceKey, Long> lingering = new HashMap<>();
    private final Map<String, String> changed = new LinkedHashMap<>();
    private long pid;

    /** @throws AnepException EE-905 if the state of an earlier run cannot be read */
    IpvsState(Path directory, Ipvsadm ipvsadm, IpvsSettings settings) {
        this.ipvsadm = ipvsadm;
        this.settings = settings;
        file = new StateFile(directory);
        before = file.read();
        owner = before == null ? HexFormat.of().toHexDigits(new SecureRandom().nextLong()) : before.owner();
        marks = new FirewallMarks(owner);
        if (before != null && before.boot().equals(OwnProcess.boot())) {
            before.services().forEach(line -> owned.add(IpvsTable.key(line)));
            changed.putAll(before.sysctls());
            pid = before.pid();
        }
    }

    /** Of the run before; null if there was none, or it ended well. */
    StateFile.State state() {
        return before;
    }

    IpvsTable table() {
        return ipvsadm.table();
    }

    IpvsTable statistics() {
        return ipvsadm.statistics();
    }

    IpvsTable rates() {
        return ipvsadm.rates();
    }

    /** @throws AnepException EE-906 if others have virtual services, or a table, that these need */
    void checkForeign(List<Director.Service> next) {
        if (next.stream().anyMatch(service -> !owned.contains(service.key()))) {
            IpvsTable table = ipvsadm.table();
            for (Director.Service service : next) {
                if (!owned.contains(service.key()) && table.services().containsKey(service.key())) {
                    throw new AnepException(ErrorCode.CLUSTER_FOREIGN, "the kernel has a virtual service " + service.key() + " that this front-end has not made: "
                            + "another program uses it, or it is left over (ipvsadm " + String.join(" ", service.key().arguments())
                            .replaceFirst("--(.)[a-z]*-service", "-D -$1").replace("--ipv6", "-6") + ")");
                }
            }
        }
        marks.check(next);
    }

    /** Notes that services are about to come, and what their parameters were. @throws AnepException EE-905 */
    void expect(List<Director.Service> next) {
        next.forEach(service -> owned.add(service.key()));
        if (!next.isEmpty()) {
            sysctls.before(wanted()).forEach(changed::putIfAbsent);
        }
        write();
    }

    /**
     * Sets the parameters that services need. Not before back ends are in: connections of a run that has just ended would be taken for those of back ends
     * that are dead, while they go on as soon as their back end is there again (ip_vs keeps it for 2 minutes).
     *
     * @throws AnepException EE-907
     */
    void setParameters() {
        Map<String, String> wanted = wanted();
        wanted.keySet().retainAll(sysctls.before(wanted).keySet());
        sysctls.set(wanted);
    }

    private Map<String, String> wanted() {
        return IpvsSysctls.wanted(settings.vrrp() != null && settings.vrrp().synchronisation() != null);
    }

    /**
     * Puts right what an earlier keepalived has left, see {@link Takeover}.
     *
     * @return the places that are in the kernel then
     */
    Set<KeepalivedConf.Place> takeOver(List<Director.Service> next) {
        if (owned.isEmpty()) {
            return Set.of();
        }
        Takeover takeover = Takeover.of(owned, ipvsadm.table(), next);
        takeover.services().forEach(ipvsadm::delete);
        lingering.keySet().retainAll(takeover.linger());
        takeover.linger().forEach(key -> lingering.putIfAbsent(key, System.nanoTime() + SupersededServices.MOST.toNanos()));
        takeover.servers().forEach(place -> ipvsadm.delete(place.key(), place.server()));
        takeover.weights().forEach((place, weight) -> next.stream().filter(service -> service.key().equals(place.key())).findFirst()
                .ifPresent(service -> ipvsadm.weight(place.key(), place.server(), weight, Takeover.method(service))));
        return takeover.stay();
    }

    void note(long keepalived) {
        pid = keepalived;
        write();
    }

    /**
     * Waits until the kernel has these services and those that have gone no more, then sets their marks.
     *
     * @param marked those among them whose packets get marks
     * @param places that should be there too before packets get marks; they are not waited for for long
     * @param said   what keepalived said last
     * @throws AnepException EE-907 if that does not come about
     */
    void confirm(List<Director.Service> next, List<Director.Service> marked, Set<KeepalivedConf.Place> places, Supplier<String> said) {
        Set<ServiceKey> wanted = keys(next);
        Set<ServiceKey> unwanted = new HashSet<>(owned);
        unwanted.removeAll(wanted);
        unwanted.removeAll(lingering.keySet());
        long begun = System.nanoTime();
        while (!owned.isEmpty()) {
            IpvsTable table = ipvsadm.table();
            Set<ServiceKey> there = table.services().keySet();
            Set<ServiceKey> missing = new HashSet<>(wanted);
            missing.removeAll(there);
            Set<ServiceKey> left = new HashSet<>(unwanted);
            left.retainAll(there);
            boolean filled = places.stream().allMatch(place -> table.has(place.key(), place.server()));
            if (missing.isEmpty() && left.isEmpty() && (filled || System.nanoTime() - begun > FILLED.toNanos())) {
                break;
            }
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "the kernel has " + (missing.isEmpty() ? "still " + left : "not taken " + missing)
                        + "; keepalived said: " + said.get());
            }
            pause();
        }
        marks.set(marked, owned);
    }

    /** Forgets services that are no more. */
    void settled(List<Director.Service> next) {
        Set<ServiceKey> wanted = keys(next);
        lingering.keySet().removeAll(wanted);
        owned.removeIf(key -> !wanted.contains(key) && !lingering.containsKey(key));
        write();
    }

    /** Takes out what has lingered since a run before and has no connections any more, or has had its time. @throws AnepException EE-905, EE-907 */
    void endLingering() {
        if (lingering.isEmpty()) {
            return;
        }
        IpvsTable table = ipvsadm.table();
        long now = System.nanoTime();
        for (ServiceKey key : List.copyOf(lingering.keySet())) {
            if (table.connections(key) == 0 || now - lingering.get(key) > 0) {
                if (table.services().containsKey(key)) {
                    ipvsadm.delete(key);
                }
                lingering.remove(key);
                owned.remove(key);
                write();
            }
        }
    }

    /** Whether services are not in the kernel any more; marks that are not there are put back. @throws AnepException EE-906, EE-907 */
    boolean lost(List<Director.Service> services, List<Director.Service> marked) {
        if (services.isEmpty()) {
            return false;
        }
        if (marks.repair(marked)) {
            LOG.warn("the table {} of nftables was gone, and is back", MarkTable.NAME);
        }
        return !ipvsadm.table().services().keySet().containsAll(keys(services));
    }

    /** Takes away everything of ours. @return whether all of it has gone */
    boolean clear() {
        // First: while the services are away the kernel drops packets of their connections, and does not end these. A restart costs no connection.
        boolean clean = attempt(() -> sysctls.set(changed));
        clean &= attempt(() -> marks.remove(owned));
        if (!owned.isEmpty()) {
            clean &= attempt(() -> ipvsadm.table().services().keySet().stream().filter(owned::contains).forEach(ipvsadm::delete));
        }
        Vrrp vrrp = settings.vrrp();
        if (vrrp != null && vrrp.synchronisation() != null && !owned.isEmpty()) {
            clean &= attempt(() -> ipvsadm.endSynchronisation(vrrp.synchronisation(), vrrp.router()));
        }
        return clean;
    }

    /** Deletes the state. */
    void forget() throws IOException {
        file.delete();
    }

    private static boolean attempt(Runnable task) {
        try {
            task.run();
            return true;
        } catch (AnepException e) {
            LOG.warn("not taken away: {}", e.getMessage());
            return false;
        }
    }

    private void write() {
        file.write(new StateFile.State(owner, owned.stream().map(ServiceKey::toString).sorted().toList(), changed, pid, OwnProcess.started(pid),
                OwnProcess.boot()));
    }

    private static Set<ServiceKey> keys(List<Director.Service> services) {
        Set<ServiceKey> keys = new HashSet<>();
        services.forEach(service -> keys.add(service.key()));
        return keys;
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "interrupted", e);
        }
    }
}
