package org.tamanoir.node.cluster.virtual;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Welcome.Method;

/** One look at the machine: what is missing is made, what cannot be made is said. */
final class SetupPass {
    private static final String CONF = "net/ipv4/conf/";
    private static final String TUNL0 = "tunl0";
    private static final String LOOPBACK = "lo";

    private final ThrottledChanges repairs;
    private final InetAddress own;
    private final String tunnel;
    private final List<String> problems = new ArrayList<>();
    private final Set<MachineChange> needed = new HashSet<>();
    private String lost;

    SetupPass(ThrottledChanges repairs, InetAddress own, String tunnel) {
        this.repairs = repairs;
        this.own = own;
        this.tunnel = tunnel;
    }

    /** With their codes; empty if nothing is wrong. */
    List<String> problems() {
        return problems;
    }

    /** The changes of this node that still have a purpose. */
    Set<MachineChange> needed() {
        return needed;
    }

    /** Why packets that directors forward are lost here; null if they are not. */
    String lost() {
        return lost;
    }

    /** Does a part of the work; what cannot be done is said, and does not keep the other parts from being done. */
    void set(Runnable part) {
        try {
            part.run();
        } catch (AnepException e) {
            problem(e.text(), e);
        }
    }

    /** The node's own file does not allow the address: nothing is done for it. */
    void refuse(VirtualAddress wish) {
        String text = VirtualAddress.text(wish.address());
        problem(text, new AnepException(ErrorCode.VIRTUAL_NOT_ALLOWED, "a front-end names the virtual address " + text
                + ", which cluster: virtual-addresses does not allow"));
        lose(text + " is no virtual address that this node takes");
    }

    /** A virtual address is on the machine, and nobody hears of it. */
    void address(VirtualAddress wish) {
        InetAddress address = wish.address();
        String text = VirtualAddress.text(address);
        if (address.equals(own)) {
            problem(text + " is the virtual address and the node's own; give cluster: address one of its own", null);
            return;
        }
        if (VirtualAddress.isFour(address)) {
            HostNetwork.concerned(own, address).forEach(device -> silence(device, text));
        }
        String tunnelled = wish.method() == Method.TUNNEL ? tunnel(address) : null;
        place(address, tunnelled == null ? LOOPBACK : tunnelled);
        if (tunnelled != null) {
            filter(tunnelled);
        }
    }

    private void place(InetAddress address, String device) {
        String host = VirtualAddress.host(address);
        MachineChange ours = repairs.has(MachineChange.Kind.ADDRESS, host);
        if (ours != null && !ours.device().equals(device)) {
            repairs.takeBack(ours);
        }
        NetworkInterface holder = HostNetwork.holder(address);
        ours = repairs.has(MachineChange.Kind.ADDRESS, host);
        if (holder == null) {
            make(MachineChange.address(host, device));
            if (HostNetwork.holder(address) == null) {
                lose(VirtualAddress.text(address) + " is not on this machine");
            }
        } else if (ours != null) {
            needed.add(ours);
        } else if (!repairs.isSilent(holder)) {
            problem(VirtualAddress.text(address) + " is on " + holder.getName() + ", which answers ARP for it in the director's place; it belongs on "
                    + device, null);
        }
    }

    /** No answer to who asks for an address of another interface, and no such address as the source of a question (ip-sysctl, arp_ignore, arp_announce). */
    private void silence(String device, String address) {
        parameter(device, "arp_ignore", 1, 2, device + " answers ARP for " + address + " in the director's place");
        parameter(device, "arp_announce", 2, 2, device + " tells by ARP that it has " + address);
    }

    /** The kernel takes the larger of an interface's own value and that for all. */
    private void parameter(String device, String name, int good, int mostGood, String otherwise) {
        String key = CONF + device + "/" + name;
        int all = HostNetwork.number(CONF + "all/" + name);
        int value = Math.max(all, HostNetwork.number(key));
        MachineChange ours = repairs.has(MachineChange.Kind.PARAMETER, key);
        if (ours != null) {
            needed.add(ours);
        }
        if (value < good && all <= mostGood) {
            make(MachineChange.parameter(key, Integer.toString(HostNetwork.number(key)), Integer.toString(good)));
            value = Math.max(all, HostNetwork.number(key));
        }
        if (value < good || value > mostGood) {
            problem(HostNetwork.dotted(all > mostGood ? CONF + "all/" + name : key) + " is " + (all > mostGood ? all : HostNetwork.number(key)) + " and should be "
                    + good + ", or " + otherwise, null);
        }
    }

    /** The device that packets come out of; null if there is none. */
    private String tunnel(InetAddress address) {
        if (!VirtualAddress.isFour(address) || !VirtualAddress.isFour(own)) {
            problem(VirtualAddress.text(address) + ": nodes set up tunnels of IPv4 in IPv4 only; use nat or direct for this address", null);
            return null;
        }
        if (!HostNetwork.isUp(tunnel) && HostNetwork.isUp(TUNL0)) {
            // An operator's, which takes packets from any director too.
            return TUNL0;
        }
        MachineChange ours = repairs.has(MachineChange.Kind.TUNNEL, tunnel);
        if (ours != null) {
            needed.add(ours);
        }
        if (!HostNetwork.isUp(tunnel)) {
            make(MachineChange.tunnel(tunnel, VirtualAddress.text(own)));
        }
        // Without one something else may take packets out of the director's before they come here: it is said, and the check does not suffer.
        return HostNetwork.isUp(tunnel) ? tunnel : null;
    }

    /** The kernel's filter by the source of packets lets those out of a tunnel pass: it is off, or it is loose and the device has an address. */
    private void filter(String device) {
        int value = Math.max(HostNetwork.number(CONF + "all/rp_filter"), HostNetwork.number(CONF + device + "/rp_filter"));
        parameter(device, "rp_filter", value == 1 ? 2 : 0, 2, "packets out of the tunnel are dropped where answers would leave by another interface");
        if (value != 0 && !HostNetwork.hasFour(device)) {
            problem(device + " has no address, and the kernel drops all that comes out of it: give it the virtual address, or set "
                    + HostNetwork.dotted(CONF + device + "/rp_filter") + " and " + HostNetwork.dotted(CONF + "all/rp_filter") + " to 0", null);
        }
    }

    /** Clients come in by one interface and answers leave by another one: not a thing for strict filtering. An operator's filter is not ours to open. */
    private void strict(String device, String by) {
        int all = HostNetwork.number(CONF + "all/rp_filter");
        int value = HostNetwork.number(CONF + device + "/rp_filter");
        if (Math.max(all, value) == 1) {
            problem(HostNetwork.dotted(CONF + device + "/rp_filter") + " is " + value + (all == 1 ? " and that of all is 1; it" : " and") + " should be 2: the kernel drops"
                    + " packets of clients that come in by " + device + ", because answers leave by " + by, null);
        }
    }

    /** Answers from an address leave by a router; null for by what the routes say, which must not be a director. */
    void reply(VirtualAddress wish, InetAddress router, List<String> frontends) {
        boolean four = VirtualAddress.isFour(wish.address());
        if (four && wish.method() == Method.DIRECT) {
            String by = repairs.leavesBy(true, router != null && VirtualAddress.isFour(router) ? router : null);
            HostNetwork.concerned(own, wish.address()).stream().filter(device -> by != null && !device.equals(by)).forEach(device -> strict(device, by));
        }
        if (router != null && VirtualAddress.isFour(router) == four) {
            MachineChange ours = repairs.reply(VirtualAddress.host(wish.address()), VirtualAddress.text(router));
            if (ours != null) {
                needed.add(ours);
            }
        } else {
            String by = repairs.defaultRouter(four);
            if (by != null && frontends.contains(by)) {
                problem("answers from " + VirtualAddress.text(wish.address()) + " leave by " + by + ", which is a director: it has the address too and drops them."
                        + " Let the default route lead past it, or set cluster: reply-via to a router", null);
            }
        }
    }

    /** @param refused why the node does not take streams at the address; null if it does */
    void listening(VirtualAddress wish, AnepException refused) {
        if (refused != null) {
            problem(refused.getMessage(), null);
            lose("it does not take streams at " + VirtualAddress.text(wish.address()) + " port " + wish.port());
        }
    }

    private void make(MachineChange change) {
        try {
            needed.add(repairs.make(change));
        } catch (AnepException e) {
            problem(e.text(), e);
        }
    }

    private void problem(String text, AnepException cause) {
        String said = cause == null ? HostNetwork.wrong(text, null).getMessage() : cause.getMessage();
        if (!problems.contains(said)) {
            problems.add(said);
        }
    }

    private void lose(String why) {
        lost = lost == null ? why : lost;
    }
}
