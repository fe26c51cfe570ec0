package org.tamanoir.lab;

import java.util.List;

/**
 * A site of a {@link MulticastTestbed}.
 *
 * @param router    between the core and the local network
 * @param backbone  from the core (its first end) through the delay box to the router (its second end)
 * @param lan       the local network
 * @param receivers the hosts of the site
 * @param ports     the end of each receiver on the local network, in the same order
 */
public record Site(Host router, Link backbone, Bridge lan, List<Host> receivers, List<Port> ports) {
}
