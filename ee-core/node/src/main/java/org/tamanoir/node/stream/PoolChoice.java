package org.tamanoir.node.stream;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.deploy.Descriptor;
import org.tamanoir.node.routing.Pool;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.service.Level;

/**
 * Decides which streams back ends serve in the place of this node. A stream goes as a whole: to the pool that names one of its services, or else to the
 * pool of heavy services if one of them is declared heavy. What comes handed over is handed on to nobody.
 */
final class PoolChoice {
    private static final CompletableFuture<PoolAssignment> HERE = CompletableFuture.completedFuture(null);

    private final PoolTable pools;
    private final BiFunction<Integer, InetSocketAddress, CompletableFuture<Descriptor>> describe;

    /** @param describe what a service is, on the account of a peer; fails with an {@link AnepException} */
    PoolChoice(PoolTable pools, BiFunction<Integer, InetSocketAddress, CompletableFuture<Descriptor>> describe) {
        this.pools = pools;
        this.describe = describe;
    }

    PoolTable pools() {
        return pools;
    }

    /**
     * Who serves a stream; null for this node.
     *
     * @param handedOver whether it came handed over
     * @param previous   the peer of its connection; null for a datagram
     * @param needAll    whether a service that cannot be had ends the stream
     * @return fails with EE-203 if another node has handed it over and this one would have to hand it over again, and with what {@code describe} says if
     *         nobody knows whether one of its services is heavy, unless the stream can do without that service
     */
    CompletableFuture<PoolAssignment> of(List<Integer> typeIds, boolean handedOver, InetSocketAddress previous, boolean needAll) {
        if (typeIds.isEmpty() || pools.isEmpty() || handedOver && pools.place().isBackEnd()) {
            return HERE;
        }
        for (int typeId : typeIds) {
            Pool named = pools.named(typeId);
            if (named != null) {
                return decided(new PoolAssignment(named, Anep.typeName(typeId) + " is one of its services"), handedOver);
            }
        }
        if (!pools.needsDescriptors()) {
            return HERE;
        }
        List<CompletableFuture<Descriptor>> asked = typeIds.stream().map(typeId -> describe.apply(typeId, previous)).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).handle((nothing, failure) -> described(asked, needAll))
                .thenCompose(handed -> decided(handed, handedOver));
    }

    /** All are answered. */
    private PoolAssignment described(List<CompletableFuture<Descriptor>> asked, boolean needAll) {
        List<Descriptor> known = asked.stream().filter(each -> !each.isCompletedExceptionally()).map(CompletableFuture::join).toList();
        for (Descriptor each : known) {
            PoolAssignment named = named(each);
            if (named != null) {
                return named;
            }
        }
        for (Descriptor each : known) {
            PoolAssignment heavy = heavy(each);
            if (heavy != null) {
                return heavy;
            }
        }
        if (needAll) {
            asked.stream().filter(CompletableFuture::isCompletedExceptionally).map(PoolChoice::failure)
                    .filter(why -> why.code() != ErrorCode.UNKNOWN_SERVICE).findFirst().ifPresent(why -> {
                        throw why;
                    });
        }
        return null;
    }

    private static AnepException failure(CompletableFuture<Descriptor> failed) {
        AnepException why = StreamEnvironment.reason(failed.handle((descriptor, cause) -> cause).join());
        return why.code() == ErrorCode.UNKNOWN_SERVICE ? why
                : new AnepException(why.code(), "nobody says whether a service of the stream is heavy: " + why.text(), why);
    }

    private PoolAssignment named(Descriptor service) {
        Pool pool = pools.named(service.name());
        return pool == null ? null : new PoolAssignment(pool, service.name() + " (" + Anep.typeName(service.typeId()) + ") is one of its services");
    }

    private PoolAssignment heavy(Descriptor service) {
        Pool pool = service.level() == Level.HEAVY ? pools.heavy() : null;
        return pool == null ? null : new PoolAssignment(pool, service.name() + " (" + Anep.typeName(service.typeId()) + ") is declared heavy");
    }

    private CompletableFuture<PoolAssignment> decided(PoolAssignment handed, boolean handedOver) {
        if (handed == null || pools.place().serves(handed.pool().to())) {
            return HERE;
        }
        return handedOver ? CompletableFuture.failedFuture(new AnepException(ErrorCode.HOPS_EXHAUSTED, "another node has handed the stream over, and this "
                + "one would hand it to " + handed.pool().address() + ": a pool's address leads to a node that is no back end"))
                : CompletableFuture.completedFuture(handed);
    }

    /**
     * Who serves new streams of a service, as far as is known without asking anybody; null for this node.
     *
     * @param known what is known of the service; null for nothing
     */
    PoolAssignment now(int typeId, Descriptor known) {
        Pool byId = pools.named(typeId);
        PoolAssignment handed = byId != null ? new PoolAssignment(byId, Anep.typeName(typeId) + " is one of its services") : known == null ? null
                : named(known) != null ? named(known) : heavy(known);
        return handed == null || pools.place().serves(handed.pool().to()) ? null : handed;
    }
}
