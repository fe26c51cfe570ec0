package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.anep.Delivery;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The node at the root of a space or a group in which a program takes part, and the node beside the program. */
final class RootOptions {
    @Option(names = "--via", required = true, paramLabel = "[tls://]HOST:PORT", converter = EntryOptions.NodeName.class,
            description = "The node next to this program; tls:// connects to it over TLS. Can be given several times, to try the next one if a node cannot be "
                    + "reached.")
    private List<NodeAddress> via;

    @Option(names = "--to", required = true, paramLabel = "HOST:PORT", converter = HostPort.class, description = "The node at the root; the same for all participants.")
    private InetSocketAddress root;

    @Mixin
    private BearerOptions bearer;

    @Mixin
    private TlsOptions tls;

    /** A stream to the root that names no service yet. @param client is told as whom the program comes */
    StreamRequest way(TamanoirClient client) {
        if (bearer.token() != null) {
            client.token(bearer.token());
        }
        if (via.get(0).secure()) {
            client.tls(tls.toNodes());
        }
        return new StreamRequest().via(via.toArray(NodeAddress[]::new)).to(root).delivery(Delivery.ANEP);
    }
}
