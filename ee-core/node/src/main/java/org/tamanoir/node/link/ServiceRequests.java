package org.tamanoir.node.link;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.service.link.LinkService;

/** Services that datagrams have asked for and that are on their way: few at once, so that made-up Type IDs cost little. For any thread. */
final class ServiceRequests {
    /** On their way at once. */
    static final int MOST = 256;
    /** Of them, asked for by one source address. */
    static final int MOST_OF_SOURCE = 32;

    private final IntFunction<CompletableFuture<RunningService>> source;
    private final Set<Integer> asked = new HashSet<>();
    private final Map<InetAddress, Integer> bySource = new HashMap<>();

    /** @param source gets a service by its Type ID */
    ServiceRequests(IntFunction<CompletableFuture<RunningService>> source) {
        this.source = source;
    }

    /**
     * Asks for a service, unless it is asked for already or too many are.
     *
     * @param failed told if it cannot be had or does not speak on links, on any thread
     */
    void want(int typeId, InetAddress sender, Consumer<AnepException> failed) {
        if (begin(typeId, sender)) {
            source.apply(typeId).whenComplete((service, failure) -> {
                end(typeId, sender);
                if (failure != null) {
                    failed.accept(reason(failure));
                } else if (!(service.service() instanceof LinkService)) {
                    failed.accept(new AnepException(ErrorCode.NO_DESTINATION, "the datagram names no destination, and " + service
                            + " is for streams only"));
                }
            });
        }
    }

    private synchronized boolean begin(int typeId, InetAddress sender) {
        if (asked.contains(typeId) || asked.size() >= MOST || bySource.getOrDefault(sender, 0) >= MOST_OF_SOURCE) {
            return false;
        }
        asked.add(typeId);
        bySource.merge(sender, 1, Integer::sum);
        return true;
    }

    private synchronized void end(int typeId, InetAddress sender) {
        asked.remove(typeId);
        bySource.computeIfPresent(sender, (key, count) -> count == 1 ? null : count - 1);
    }

    private static AnepException reason(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, cause.toString(), cause);
    }
}
