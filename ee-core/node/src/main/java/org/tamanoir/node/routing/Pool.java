package org.tamanoir.node.routing;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.tamanoir.anep.Anep;
import org.tamanoir.node.transport.TcpSockets;

/**
 * Back ends that serve streams in the place of this node (<i>Designing and Evaluating An Active Grid Architecture</i>, 2003, section 3.1.3).
 *
 * @param to      where their streams come in: at a director's virtual address, or at one node
 * @param heavy   whether they serve every service that is declared heavy
 * @param typeIds services that they serve, whatever these are declared
 * @param names   the same by their names, for services whose Type ID only their descriptor tells
 */
public record Pool(InetSocketAddress to, boolean heavy, Set<Integer> typeIds, Set<String> names) {
    /** {@code host:port}. */
    public String address() {
        return TcpSockets.text(to);
    }

    /** What it serves, as an operator writes it: names, then Type IDs. */
    public List<String> services() {
        return Stream.concat(names.stream().sorted(), typeIds.stream().sorted().map(Anep::typeName)).toList();
    }
}
