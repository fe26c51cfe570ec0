package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.interest.SpaceStream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which space a program takes part in, and by which node. */
final class SpaceOptions {
    @Option(names = "--via", required = true, paramLabel = "[tls://]HOST:PORT", converter = EntryOptions.NodeName.class,
            description = "The node beside this program; tls:// reaches it by TLS. Can be given several times: the next one where a connection cannot be made.")
    private List<NodeAddress> via;

    @Option(names = "--to", required = true, paramLabel = "HOST:PORT", converter = PortRange.Converter.class, description = "The node at the root of the space.")
    private PortRange to;

    @Mixin
    private BearerOptions bearer;

    @Mixin
    private TlsOptions tls;

    SpaceStream open(TamanoirClient client) throws InterruptedException {
        if (bearer.token() != null) {
            client.token(bearer.token());
        }
        if (via.get(0).secure()) {
            client.tls(tls.toNodes());
        }
        InetSocketAddress root = to.first();
        return SpaceStream.open(client, new StreamRequest().via(via.toArray(NodeAddress[]::new)).to(root));
    }
}
