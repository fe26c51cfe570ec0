package org.tamanoir.node.access;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;

/** Says what guests' services are called, of which a stream has the Type IDs. Any thread. */
@FunctionalInterface
public interface GuestNames {
    /** One that knows of none. */
    GuestNames NONE = typeId -> CompletableFuture.failedFuture(new AnepException(ErrorCode.UNKNOWN_SERVICE, "nobody says what that service is called"));

    /** The name of the service with a Type ID. Fails with an {@link AnepException} if nobody knows it. */
    CompletableFuture<String> of(int typeId);

    /** Those of all guests' services among some. */
    default CompletableFuture<Map<Integer, String>> of(List<Integer> services) {
        List<Integer> guests = services.stream().filter(ServiceName::isGuestType).distinct().toList();
        List<CompletableFuture<String>> names = guests.stream().map(typeId -> of(typeId.intValue())).toList();
        return CompletableFuture.allOf(names.toArray(CompletableFuture[]::new)).thenApply(nothing -> {
            Map<Integer, String> known = new HashMap<>();
            for (int i = 0; i < guests.size(); i++) {
                known.put(guests.get(i), names.get(i).join());
            }
            return known;
        });
    }
}
