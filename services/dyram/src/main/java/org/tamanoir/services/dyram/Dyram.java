package org.tamanoir.services.dyram;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.wire.ServiceSet.Service;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.LinkService;
import org.tamanoir.service.link.Links;

/** Reliable multicast: repairs stay where the loss was. Type ID 0x5405; {@code docs/dyram.md} is the protocol. */
@Component(service = ActiveService.class)
public final class Dyram implements LinkService {
    private final Queue<DyramHandler> handlers = new ConcurrentLinkedQueue<>();
    private final DyramHandler.Asking asking = new DyramHandler.Asking();
    private DyramSettings settings;

    @Override
    public void start(ServiceContext service) {
        settings = DyramSettings.of(service.configuration());
        Metrics metrics = service.metrics();
        for (Count count : Count.values()) {
            metrics.counter(count.text().replace('-', '_'), count.help(), () -> sum(count));
        }
        metrics.counter("malformed", "Packets that are no message of DyRAM.", () -> handlers.stream().mapToLong(DyramHandler::malformed).sum());
        metrics.gauge("sessions", "Sessions that are known.", () -> handlers.stream().mapToInt(DyramHandler::sessions).sum());
        for (Service each : Service.values()) {
            metrics.gauge("sessions_" + each.text().replace('-', '_'), "Sessions for which this node does " + each.text() + ".",
                    () -> handlers.stream().mapToInt(handler -> handler.sessions(each)).sum());
        }
        metrics.gauge("missing", "Missing packets that are remembered.", () -> handlers.stream().mapToInt(DyramHandler::losses).sum());
    }

    private long sum(Count count) {
        return handlers.stream().mapToLong(handler -> handler.count(count)).sum();
    }

    /** Its packets name no destination: they are for nodes, one after the other. */
    @Override
    public StreamHandler open(StreamContext stream) {
        throw new AnepException(ErrorCode.BAD_OPTION_VALUE, "packets of dyram are for the next node and name no destination");
    }

    @Override
    public LinkHandler openLinks(Links links) {
        DyramHandler handler = new DyramHandler(links, settings, asking);
        handlers.add(handler);
        return handler;
    }

    @Override
    public void stop() {
        handlers.clear();
    }

    /** For tests. */
    List<DyramHandler> handlers() {
        return List.copyOf(handlers);
    }
}
