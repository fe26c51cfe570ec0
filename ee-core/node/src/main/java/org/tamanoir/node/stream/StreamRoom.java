package org.tamanoir.node.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.UdpSockets;

/** What every stream of a node shares. */
record StreamRoom(PreviousNode self, Supplier<StreamLimits> limits, RouteTable routes, Deployer deployer, ServiceWatch watch,
                  TcpSockets tcp, UdpSockets udp, StreamTable table, StreamCounters counters) {

    /**
     * The services of a chain, in order, when all of them are there. One that cannot be had is left out if the packets allow that.
     */
    CompletableFuture<List<RunningService>> services(StreamInfo stream) {
        List<CompletableFuture<RunningService>> wanted = new ArrayList<>();
        for (int typeId : stream.chain()) {
            CompletableFuture<RunningService> service = deployer.request(typeId);
            wanted.add(stream.needAll() ? service : service.exceptionally(why -> leftOut(typeId)));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(wanted.toArray(CompletableFuture[]::new));
        return all.thenApply(nothing -> wanted.stream().map(CompletableFuture::join).filter(service -> service != null).toList());
    }

    private RunningService leftOut(int typeId) {
        counters.servicesLeftOut().increment();
        return null;
    }

    /** The error behind whatever a future failed with. */
    static AnepException reason(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof AnepException known ? known : new AnepException(ErrorCode.INTERNAL, cause.toString(), cause);
    }

    /** Type IDs as text, for a stream whose services have no names yet. */
    static List<String> names(List<Integer> typeIds) {
        return typeIds.stream().map(Anep::typeName).toList();
    }
}
