package org.tamanoir.node.deploy;

import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.trust.Publisher;

/** One version of a service on its way through this node. Changed by its {@link VersionLifecycle} only; read under the lifecycle's lock. */
final class ServiceVersion {
    /** The service that streams wait for. */
    private final CompletableFuture<RunningService> future = new CompletableFuture<>();
    private final int typeId;
    /** The version that is wanted; null for the newest. */
    private final String wanted;
    /** Whether streams that ask for no version get it. */
    private final boolean general;
    /** Whether an operator wants the newest, whatever the node has already. */
    private final boolean upgrade;
    private final long startNanos;
    /** What an operator pushed; null if sources are to be asked. */
    FoundBundle pushed;
    /** On whose account it is got. */
    Asker asker;
    long endNanos;
    ServiceState state;
    FoundBundle bundle;
    String source;
    Publisher publisher;
    /** Whether it is current only until a repository can be asked for something newer, after a restart. */
    boolean provisional;
    RunningService running;
    AnepException reason;
    String advice;
    /** When its streams are ended; only while it drains, or has failed with streams on it. */
    long drainedBy;
    /** Its streams have been told to end. */
    boolean ending;
    /** Its streams do not go on with it. */
    boolean cut;
    /** It goes from the store too. */
    boolean forgotten;

    ServiceVersion(int typeId, String wanted, boolean general, boolean upgrade, long now) {
        this.typeId = typeId;
        this.wanted = wanted;
        this.general = general;
        this.upgrade = upgrade;
        this.startNanos = now;
    }

    CompletableFuture<RunningService> future() {
        return future;
    }

    int typeId() {
        return typeId;
    }

    String wanted() {
        return wanted;
    }

    boolean isGeneral() {
        return general;
    }

    boolean isUpgrade() {
        return upgrade;
    }

    /** The version's number, or null while it is not known. */
    String version() {
        return bundle == null ? wanted : bundle.version();
    }

    String name() {
        return bundle == null ? null : bundle.name();
    }

    boolean isUnderWay() {
        return state == null || state.isUnderWay();
    }

    ServiceStatus status(long now, boolean current) {
        long end = endNanos == 0 ? now : endNanos;
        return new ServiceStatus(Anep.typeName(typeId), name(), version(), bundle == null ? null : bundle.level(), state.word(), source,
                publisher == null ? null : publisher.name(), reason == null ? null : reason.getMessage(), advice,
                (end - startNanos) / 1_000_000, bundle == null ? null : bundle.sha256(), current, running == null ? 0 : running.streams(),
                running == null ? 0 : running.streamsTotal(), running == null ? 0 : running.packets(), running == null ? 0 : running.errors(),
                running == null ? 0 : running.workers().running());
    }

    @Override
    public String toString() {
        return (name() == null ? Anep.typeName(typeId) : name()) + " " + version();
    }
}
