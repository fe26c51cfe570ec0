package org.tamanoir.transfer.daemon;

import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.ServiceNames;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.copy.CopyOptions;
import org.tamanoir.transfer.copy.Place;
import org.tamanoir.transfer.queue.TransferRequest;

/** What a transfer may ask for. */
final class Requests {
    private static final int MOST_SOURCES = 1_000;
    private static final int MOST_NAMES = 100;

    private Requests() {
    }

    /** @throws AnepException EE-408, EE-108 for what makes no sense */
    static void check(TransferRequest request, long now) {
        require(!request.sources().isEmpty() && request.sources().size() <= MOST_SOURCES, "a transfer has 1 to " + MOST_SOURCES + " sources");
        require(request.destination() != null, "a transfer has a destination");
        List<Place> sources = request.sources().stream().map(Place::parse).toList();
        Place destination = Place.parse(request.destination());
        require(destination.mover() != null && sources.stream().allMatch(one -> one.mover() != null),
                "the queue has movers copy from each other: write tam://HOST:PORT/PATH, and use 'tamanoir copy' for files of your own machine");
        require(sources.stream().allMatch(one -> one.movers().equals(sources.get(0).movers())), "the sources of a transfer are all at the same movers");
        require(request.streams() >= 1 && request.streams() <= CopyOptions.MOST_STREAMS, "streams are from 1 to " + CopyOptions.MOST_STREAMS);
        require(request.extent() >= Extent.SMALLEST && request.extent() <= Extent.LARGEST, "extents have from " + Extent.SMALLEST + " to " + Extent.LARGEST + " octets");
        require(Math.abs(request.priority()) <= TransferRequest.MOST_PRIORITY, "priorities are from -" + TransferRequest.MOST_PRIORITY + " to " + TransferRequest.MOST_PRIORITY);
        require(request.by() == 0 || request.by() > now, "the time by which it must be there is over");
        require(request.rate() >= 0 && (request.rate() > 0 || !request.steady()), "what goes steadily goes at a rate: give one");
        require(request.via().size() + request.include().size() + request.exclude().size() <= MOST_NAMES && request.services().size() <= MOST_NAMES, "that are too many nodes, services or patterns");
        request.via().forEach(NodeAddress::parse);
        request.services().forEach(ServiceNames::typeId);
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AnepException(ErrorCode.BAD_REQUEST, what);
        }
    }
}
