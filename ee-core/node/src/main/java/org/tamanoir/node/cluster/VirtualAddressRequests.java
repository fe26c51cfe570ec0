package org.tamanoir.node.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Method;
import org.tamanoir.node.cluster.virtual.VirtualAddress;

/** What the answer of a front-end asks of the machine. */
final class VirtualAddressRequests {
    private VirtualAddressRequests() {
    }

    /** Virtual addresses that it is to have: none where addresses are translated, and none of loopback, which every machine has already. */
    static Set<VirtualAddress> wanted(Welcome welcome) {
        Set<VirtualAddress> wanted = new HashSet<>();
        if (welcome.method() != Method.NAT) {
            for (Welcome.Virtual each : welcome.services()) {
                InetAddress address = Addresses.literal(each.address());
                if (address != null && !address.isLoopbackAddress()) {
                    wanted.add(new VirtualAddress(address, each.port(), welcome.method()));
                }
            }
        }
        return wanted;
    }

    /** Whether streams for a virtual address come to this back end among others. */
    static boolean isFor(Welcome welcome, InetSocketAddress virtual) {
        return welcome.services().stream().anyMatch(each -> each.port() == virtual.getPort()
                && virtual.getAddress().equals(Addresses.literal(each.address())));
    }
}
