package org.tamanoir.cluster.nft;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.RealServer;
import org.tamanoir.cluster.plan.VirtualService;
import org.tamanoir.membership.Method;

/** What of a plan nftables cannot carry. No I/O. */
final class Refusals {
    private Refusals() {
    }

    /** @throws AnepException EE-907 with the first thing that cannot be */
    static void check(Plan plan) {
        Set<InetAddress> virtual = new HashSet<>();
        plan.services().forEach(service -> virtual.add(service.address()));
        for (VirtualService service : plan.services()) {
            if (service.method() != Method.NAT) {
                throw refused(service, "asks for the method " + service.method() + ", and the nft engine knows NAT alone: set the method NAT, or run a "
                        + "kernel with IPVS");
            }
            checkAddress(service, "its own address", service.address());
            Set<String> places = new HashSet<>();
            for (RealServer server : service.servers()) {
                String words = "the back end " + server.name() + " at " + Names.endpoint(server.address(), server.port());
                checkAddress(service, words, server.address());
                if (virtual.contains(server.address())) {
                    throw refused(service, "has " + words + ", which is a virtual address");
                }
                if (!Names.family(server.address()).equals(Names.family(service.address()))) {
                    throw refused(service, "has " + words + ", and no connection is translated from one family of addresses to the other");
                }
                if (!places.add(Names.of(service.transport(), server))) {
                    throw refused(service, "has " + words + " twice");
                }
            }
        }
    }

    private static void checkAddress(VirtualService service, String words, InetAddress address) {
        if (address.isAnyLocalAddress() || address.isLoopbackAddress() || address.isMulticastAddress() || address.isLinkLocalAddress()) {
            throw refused(service, "cannot have " + words + " (" + Names.text(address) + "): connections can be led to unicast addresses "
                    + "beyond this host and link only");
        }
    }

    private static AnepException refused(VirtualService service, String problem) {
        return new AnepException(ErrorCode.DIRECTOR_REFUSED, "the virtual service " + Names.words(service) + " of the pool " + service.pool() + " " + problem);
    }
}
