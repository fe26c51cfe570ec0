package org.tamanoir.transfer.copy;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.qos.QosClient;
import org.tamanoir.qos.spec.LevelReader;
import org.tamanoir.service.qos.ServiceLevel;

/**
 * The QoS session of a copy that nodes with QoSinus carry: it goes in the cheapest class, less than best effort where there is that, until it needs a rate ("ultimate
 * delivery time or a target throughput", DataGRID network services, section 3.1). Without an answer of the nodes it goes as best effort.
 */
final class QosFlow implements AutoCloseable {
    static final String SERVICE = "qosinus";
    private static final Logger LOG = LoggerFactory.getLogger(QosFlow.class);
    /** Of a copy that needs nothing: more than it will send, or it would wait. */
    private static final String ANY = "traffic=12500000000";

    private final QosClient qos;
    private final InetSocketAddress via;
    private final InetSocketAddress mover;
    private final long code;

    private QosFlow(QosClient qos, InetSocketAddress via, InetSocketAddress mover, long code) {
        this.qos = qos;
        this.via = via;
        this.mover = mover;
        this.code = code;
    }

    /** Whether the nodes of a copy mark its packets. Requests go as datagrams, which have no TLS. */
    static boolean isFor(CopyOptions options) {
        return options.services().contains(SERVICE) && !options.via().isEmpty() && options.via().stream().noneMatch(NodeAddress::secure);
    }

    /** @param movers that the octets go to @return of each for which the nodes let it have a session */
    static Map<InetSocketAddress, QosFlow> open(TamanoirClient client, CopyOptions options, List<InetSocketAddress> movers) {
        QosClient qos = new QosClient(client);
        InetSocketAddress via = options.via().get(0).address();
        Map<InetSocketAddress, QosFlow> flows = new HashMap<>();
        try {
            for (InetSocketAddress mover : movers) {
                flows.put(mover, new QosFlow(qos, via, mover, qos.open(via, mover, LevelReader.read(ANY)).code()));
            }
        } catch (AnepException e) {
            LOG.warn("the copy goes as best effort: {}", e.getMessage());
        } catch (InterruptedException e) {
            // What comes next ends with it.
            Thread.currentThread().interrupt();
        }
        return flows;
    }

    long code() {
        return code;
    }

    /** It needs so many octets a second from now on. */
    void need(long rate) throws InterruptedException {
        ServiceLevel level = LevelReader.read(String.format(Locale.ROOT, "minRateMbps=%.3f", rate * 8 / 1e6));
        try {
            qos.modify(via, mover, code, level);
            LOG.info("the copy asks the nodes for {} octets a second", rate);
        } catch (AnepException e) {
            LOG.warn("the copy gets no more from the nodes: {}", e.getMessage());
        }
    }

    /** Ends the session; one that cannot be told is forgotten by the nodes when it has been idle for a while. */
    @Override
    public void close() {
        try {
            qos.release(via, mover, code);
        } catch (AnepException e) {
            LOG.info("the session of a copy is not released: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
