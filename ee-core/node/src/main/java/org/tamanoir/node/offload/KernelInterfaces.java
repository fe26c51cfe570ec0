package org.tamanoir.node.offload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.Kernel;

/**
 * The interfaces and addresses of the host as they are now: attaches the kernel program where it belongs, again when an interface is
 * back, and tells it which addresses are this node's. One thread scans; any may ask.
 */
final class KernelInterfaces {
    private static final Logger LOG = LoggerFactory.getLogger(KernelInterfaces.class);
    private static final Path FORWARD4 = Path.of("/proc/sys/net/ipv4/ip_forward");
    private static final Path FORWARD6 = Path.of("/proc/sys/net/ipv6/conf/all/forwarding");

    private final Kernel kernel;
    private final KernelSettings settings;
    private final InetAddress listen;
    private final Map<Integer, String> attached = new HashMap<>();
    private final Set<InetAddress> known = new HashSet<>();
    private volatile Map<String, String> state = Map.of();
    private volatile Set<InetAddress> local = Set.of();
    private volatile boolean forward4;
    private volatile boolean forward6;

    /** @param listen the address that the node listens on; a wildcard stands for all of the host */
    KernelInterfaces(Kernel kernel, KernelSettings settings, InetAddress listen) {
        this.kernel = kernel;
        this.settings = settings;
        this.listen = listen;
    }

    /** What each interface is attached by, or why it is not, by its name. */
    Map<String, String> state() {
        return state;
    }

    /** Whether any interface is attached. */
    boolean any() {
        return state.values().stream().anyMatch(text -> !text.startsWith("EE-"));
    }

    /** Whether an address is one of this host. */
    boolean isLocal(InetAddress address) {
        return address.isLoopbackAddress() || local.contains(address);
    }

    /** Whether the host forwards packets of an address's family. */
    boolean forwards(InetAddress address) {
        return address.getAddress().length == 4 ? forward4 : forward6;
    }

    /**
     * Looks at the host again.
     *
     * @return whether something has changed
     */
    boolean scan() {
        Map<String, String> before = state;
        boolean could4 = forward4;
        boolean could6 = forward6;
        forward4 = isOn(FORWARD4);
        forward6 = isOn(FORWARD6);
        List<NetworkInterface> interfaces = interfaces();
        boolean moved = addresses(interfaces);
        Map<String, String> now = new TreeMap<>();
        attached.keySet().removeIf(index -> !isStillThere(index));
        for (NetworkInterface each : interfaces) {
            if (isWanted(each)) {
                now.put(each.getName(), attach(each));
            }
        }
        if (settings.interfaces() != null) {
            settings.interfaces().forEach(name -> now.computeIfAbsent(name, missing -> ErrorCode.NO_INTERFACE + " there is no interface "
                    + missing + " that is up"));
        }
        now.forEach((name, text) -> {
            if (!text.equals(before.get(name))) {
                LOG.info("interface {}: {}", name, text);
            }
        });
        state = Collections.unmodifiableMap(now);
        return moved || !now.equals(before) || could4 != forward4 || could6 != forward6;
    }

    private boolean isStillThere(int index) {
        try {
            return kernel.attached(index);
        } catch (AnepException e) {
            return false;
        }
    }

    private boolean isWanted(NetworkInterface each) {
        try {
            return each.isUp() && (settings.interfaces() == null ? !each.isLoopback() : settings.interfaces().contains(each.getName()));
        } catch (SocketException e) {
            return false;
        }
    }

    private String attach(NetworkInterface each) {
        try {
            if (each.getHardwareAddress() == null) {
                return ErrorCode.KERNEL + " it has no Ethernet frames, so its packets are served in the node";
            }
        } catch (SocketException e) {
            return ErrorCode.KERNEL + " " + e.getMessage();
        }
        int index = each.getIndex();
        String by = attached.get(index);
        if (by != null) {
            return by;
        }
        boolean xdp = settings.xdp().contains(each.getName());
        try {
            by = kernel.attach(index, xdp).name().toLowerCase(java.util.Locale.ROOT) + (xdp ? ", xdp" : "");
            attached.put(index, by);
            return by;
        } catch (AnepException e) {
            return e.getMessage();
        }
    }

    /** Tells the kernel of addresses that have come and gone; returns whether some have. */
    private boolean addresses(List<NetworkInterface> interfaces) {
        Set<InetAddress> all = new HashSet<>();
        interfaces.forEach(each -> each.inetAddresses().map(KernelInterfaces::plain).forEach(all::add));
        local = Set.copyOf(all);
        Set<InetAddress> mine = listen.isAnyLocalAddress() ? all : Set.of(plain(listen));
        boolean changed = false;
        for (InetAddress address : mine) {
            if (!address.isLoopbackAddress() && known.add(address)) {
                kernel.addAddress(address);
                changed = true;
            }
        }
        for (InetAddress address : Set.copyOf(known)) {
            if (!mine.contains(address)) {
                known.remove(address);
                kernel.removeAddress(address);
                changed = true;
            }
        }
        return changed;
    }

    /** Without the interface that a link-local address belongs to. */
    private static InetAddress plain(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<NetworkInterface> interfaces() {
        try {
            return NetworkInterface.networkInterfaces().toList();
        } catch (SocketException e) {
            // None at all.
            return List.of();
        }
    }

    private static boolean isOn(Path sysctl) {
        try {
            return Files.readString(sysctl).trim().equals("1");
        } catch (IOException e) {
            return false;
        }
    }
}
