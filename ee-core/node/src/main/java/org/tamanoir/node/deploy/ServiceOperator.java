package org.tamanoir.node.deploy;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BundledServices;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.trust.Publisher;
import org.tamanoir.trust.Trust;
import org.tamanoir.trust.guest.GuestJar;

/** What operators want of the services of a node: look, upgrade, push, take out. Calls block until it is done. */
public final class ServiceOperator {
    private final DeployerSettings settings;
    private final BundleStore store;
    private final Trust trust;
    private final ServiceNames names;
    private final Framework framework;
    private final ServiceRegistry registry;
    private final ChosenVersions chosen;
    private final VersionPins pins;
    private final LifecycleDriver lifecycles;
    private final Fetcher fetcher;

    ServiceOperator(DeployerSettings settings, BundleStore store, Trust trust, ServiceNames names, Framework framework, ServiceRegistry registry,
                    ChosenVersions chosen, VersionPins pins, LifecycleDriver lifecycles, Fetcher fetcher) {
        this.settings = settings;
        this.store = store;
        this.trust = trust;
        this.names = names;
        this.framework = framework;
        this.registry = registry;
        this.chosen = chosen;
        this.pins = pins;
        this.lifecycles = lifecycles;
        this.fetcher = fetcher;
    }

    /** Every version that runs, is on its way, or has lately gone or failed. */
    public List<ServiceStatus> statuses() {
        List<ServiceStatus> all = new ArrayList<>();
        lifecycles.sorted().forEach(lifecycle -> all.addAll(lifecycle.statuses()));
        return all;
    }

    /** When the certificates of the publishers expire whose services run: by the publisher's name, the soonest of each. */
    public Map<String, Instant> certificates() {
        Map<String, Instant> soonest = new TreeMap<>();
        for (LockedLifecycle lifecycle : lifecycles.sorted()) {
            for (ServiceVersion version : lifecycle.inUse()) {
                if (version.publisher != null && version.running != null) {
                    soonest.merge(version.publisher.name(), version.publisher.until(), (one, other) -> one.isBefore(other) ? one : other);
                }
            }
        }
        return soonest;
    }

    /**
     * What an upgrade would do.
     *
     * @param from        the version that is current, or null
     * @param to          the version that would be; null if there is nothing newer
     * @param publisher   null for nobody, or where it is known only after the bundle has been fetched
     * @param unreachable what the sources said that could not be asked
     */
    public record Plan(String name, int typeId, String from, String to, String source, String sha256, String publisher,
                       List<String> unreachable) {
    }

    /**
     * Looks what an upgrade would do, and changes nothing.
     *
     * @param wanted a version, or null for the newest
     * @throws AnepException EE-407 if the service is not known here and does not come with Tamanoir, or no source has that version; EE-302 if nobody answers
     */
    public Plan plan(String name, String wanted) {
        Integer known = knownTypeId(name);
        return known == null ? plan(name, typeIdToLoad(name), wanted) : plan(name, known, wanted, false);
    }

    /**
     * The same of a service that this node may never have loaded.
     *
     * @throws AnepException EE-407 if no source has it, or that version; EE-302 if nobody answers; EE-403 if the Type ID has another name
     */
    public Plan plan(String name, int typeId, String wanted) {
        Plan plan = plan(name, typeId, wanted, currentVersion(typeId) == null);
        if (!plan.name().equals(name)) {
            throw new AnepException(ErrorCode.TYPE_ID_TAKEN, "the Type ID " + Anep.typeName(typeId) + " belongs to " + plan.name() + " here, not to " + name);
        }
        return plan;
    }

    /** @param must whether nothing at all is an error */
    private Plan plan(String name, int typeId, String wanted, boolean must) {
        Fetcher.Offer offer = fetcher.offer(typeId, wanted);
        List<String> unreachable = offer.unreachable().stream().map(AnepException::getMessage).toList();
        String from = currentVersion(typeId);
        if (offer.candidates().isEmpty() && wanted == null && !must) {
            return new Plan(name, typeId, from, null, null, null, null, unreachable);
        }
        if (offer.candidates().isEmpty()) {
            throw new AnepException(unreachable.isEmpty() ? ErrorCode.NOT_FOUND : offer.unreachable().get(0).code(), "no source has " + name
                    + (wanted == null ? "" : " " + wanted) + (unreachable.isEmpty() ? "" : "; " + String.join("; ", unreachable)));
        }
        FoundBundle best = offer.candidates().get(0).bundle();
        BundleSource source = offer.candidates().get(0).source();
        return new Plan(best.name(), typeId, from, best.version().equals(from) ? null : best.version(), source.name(), best.sha256(),
                source == store ? publisher(store.jar(best.sha256()), best.sha256()) : null, unreachable);
    }

    /**
     * Makes another version current, beside the one that runs.
     *
     * @param wanted a version, or null for the newest
     * @return what is current then; it survives a crash of the node
     * @throws AnepException EE-407 if the service is not known here and does not come with Tamanoir; what {@link Deployer#request} fails with
     */
    public RunningService upgrade(String name, String wanted) {
        return upgrade(typeIdToLoad(name), wanted);
    }

    /** The same of a service that this node may never have loaded. */
    public RunningService upgrade(int typeId, String wanted) {
        return settled(lifecycles.on(typeId, (lifecycle, now) -> lifecycle.upgrade(now, wanted)));
    }

    /** What {@link #deploy} would do with a bundle. */
    public Plan planOf(Path upload) {
        FoundBundle bundle = examine(upload);
        String from = currentVersion(bundle.typeId());
        return new Plan(bundle.name(), bundle.typeId(), from, bundle.version().equals(from) ? null : bundle.version(), Fetcher.PUSHED,
                bundle.sha256(), publisher(upload, bundle.sha256()), List.of());
    }

    /**
     * Keeps a bundle that somebody has pushed and makes it current.
     *
     * @param upload moved if it is taken
     * @throws AnepException EE-312 to EE-316 if it is not trusted, EE-304 if it is no bundle, EE-403 if its Type ID has another name here or
     *                       another publisher owns one of them,
     *                       EE-656 if it claims what is not its publisher's to have, EE-404 if the version is kept with other content, EE-305 if it does not start
     */
    public RunningService deploy(Path upload) {
        FoundBundle bundle = examine(upload);
        store.add(bundle, upload);
        return settled(lifecycles.on(bundle.typeId(), (lifecycle, now) -> lifecycle.push(now, bundle)));
    }

    private FoundBundle examine(Path upload) {
        String sha256 = BundleStore.hashOf(upload);
        Publisher publisher = trust.check(upload, sha256);
        if (publisher != null && publisher.isGuest()) {
            GuestJar.check(upload);
        }
        FoundBundle bundle = framework.container().describe(upload, sha256);
        names.checkGuest(bundle, publisher);
        names.check(bundle, publisher);
        for (FoundBundle kept : store.find(bundle.typeId()).stream().filter(this::isTrusted).toList()) {
            if (!kept.name().equals(bundle.name())) {
                throw new AnepException(ErrorCode.TYPE_ID_TAKEN, "the Type ID " + Anep.typeName(bundle.typeId()) + " belongs to "
                        + kept.name() + " here");
            }
            if (kept.version().equals(bundle.version()) && !kept.sha256().equals(bundle.sha256())) {
                throw new AnepException(ErrorCode.VERSION_EXISTS, bundle.name() + " " + bundle.version()
                        + " is here already with other content; give the new content a new version");
            }
        }
        return bundle;
    }

    /** What is in the store and not trusted any more claims neither a Type ID nor a version. */
    private boolean isTrusted(FoundBundle kept) {
        try {
            trust.check(store.jar(kept.sha256()), kept.sha256());
            return true;
        } catch (AnepException e) {
            return false;
        }
    }

    /** Waits for a service that an operator wants, and for the disk. */
    private RunningService settled(CompletableFuture<RunningService> coming) {
        try {
            RunningService service = coming.get(settings.patience().toMillis(), TimeUnit.MILLISECONDS);
            chosen.save();
            return service;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AnepException known ? new AnepException(known.code(), known.text(), known)
                    : new AnepException(ErrorCode.INTERNAL, String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            throw new AnepException(ErrorCode.REPOSITORY_UNREACHABLE, "it is still on its way after " + settings.patience().toSeconds()
                    + " s; node services says how far it is", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.STOPPING, "the node is stopping", e);
        }
    }

    /**
     * Takes a service out: new streams do not get it, old ones may finish within the time to drain, then it goes, from the store too.
     *
     * @param wanted one version, or null for all
     * @throws AnepException EE-407 if it is not here
     */
    public void undeploy(String name, String wanted) {
        int typeId = typeIdOf(name);
        lifecycles.on(typeId, (lifecycle, now) -> {
            boolean runs = lifecycle.versions().stream().anyMatch(version -> wanted == null || wanted.equals(version.version()));
            if (!runs && store.find(typeId).stream().noneMatch(bundle -> wanted == null || wanted.equals(bundle.version()))) {
                throw new AnepException(ErrorCode.NOT_FOUND, "there is no " + name + " " + wanted + " here");
            }
            lifecycle.undeploy(now, wanted);
            return null;
        });
        store.find(typeId).stream().filter(bundle -> wanted == null || wanted.equals(bundle.version()))
                .filter(bundle -> !fetcher.isUsed(bundle)).forEach(store::remove);
        chosen.save();
    }

    /** The pins have changed: versions that are pinned no more drain. */
    public void repin() {
        lifecycles.all((core, now) -> {
            core.pins(now, core.current() == null ? Set.of() : pins.versions(core.current().name()));
            return null;
        });
    }

    private String currentVersion(int typeId) {
        RunningService current = registry.find(typeId);
        return current == null ? null : current.version();
    }

    private String publisher(Path jar, String sha256) {
        Publisher publisher = trust.check(jar, sha256);
        return publisher == null ? null : publisher.name();
    }

    /** Null if this node has no service of that name. */
    private Integer knownTypeId(String name) {
        for (RunningService service : registry.all()) {
            if (service.name().equals(name)) {
                return service.typeId();
            }
        }
        return store.all().stream().filter(bundle -> bundle.name().equals(name)).findFirst().map(FoundBundle::typeId).orElse(null);
    }

    /** The Type ID of a guest's service that runs here, is kept here, or was offered by a repository; null if none was. */
    public Integer typeIdOfGuest(String name) {
        Integer known = knownTypeId(name);
        return known == null ? names.offeredAs(name) : known;
    }

    private int typeIdOf(String name) {
        return required(name, knownTypeId(name));
    }

    /** The same, and of those that come with Tamanoir, which may still have to be loaded. */
    private int typeIdToLoad(String name) {
        Integer known = knownTypeId(name);
        return required(name, known != null ? known : ServiceName.isGuest(name) ? names.offeredAs(name) : BundledServices.typeId(name));
    }

    private static int required(String name, Integer typeId) {
        if (typeId == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "this node has no service " + name);
        }
        return typeId;
    }
}
