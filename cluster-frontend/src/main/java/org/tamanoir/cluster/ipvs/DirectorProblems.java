package org.tamanoir.cluster.ipvs;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.membership.Welcome.Method;

/** What keeps a director from carrying though the engine is well, and is the administrator's to put right. */
final class DirectorProblems {
    private DirectorProblems() {
    }

    /**
     * Looks at what the services need of this machine.
     *
     * @param alone whether no VRRP gives it the virtual addresses
     * @return a sentence with its code and remedy; null if nothing is wrong
     */
    static String of(List<Director.Service> services, boolean alone) {
        return of(services, alone, Path.of("/proc/sys/net"));
    }

    static String of(List<Director.Service> services, boolean alone, Path sysctls) {
        for (Director.Service service : services) {
            VirtualService first = service.first();
            boolean six = first.address() instanceof Inet6Address;
            String forward = six ? "ipv6/conf/all/forwarding" : "ipv4/ip_forward";
            if (first.method() == Method.NAT && "0".equals(read(sysctls.resolve(forward)))) {
                String name = "net." + forward.replace('/', '.');
                return ErrorCode.DIRECTOR_REFUSED + " " + name + " is 0: answers of back ends do not pass this director (sysctl -w " + name + "=1)";
            }
            if (alone && !local(first)) {
                return ErrorCode.DIRECTOR_REFUSED + " no interface of this director has the virtual address " + first.address().getHostAddress()
                        + ", so nothing comes for it (ip address add " + first.address().getHostAddress() + "/" + (six ? 128 : 32) + " dev …)";
            }
        }
        return null;
    }

    /**
     * Refuses VRRP on interfaces that are not there: keepalived says nothing of that of synchronisation.
     *
     * @param vrrp null for none
     * @throws AnepException EE-905
     */
    static void checkInterfaces(Vrrp vrrp) {
        for (String name : vrrp == null ? new String[0] : new String[] {vrrp.networkInterface(), vrrp.synchronisation()}) {
            try {
                if (name != null && NetworkInterface.getByName(name) == null) {
                    throw new AnepException(ErrorCode.KEEPALIVED, "there is no network interface " + name + " here");
                }
            } catch (SocketException e) {
                throw new AnepException(ErrorCode.KEEPALIVED, "cannot look at the network interface " + name + ": " + e.getMessage(), e);
            }
        }
    }

    private static boolean local(VirtualService service) {
        try {
            return NetworkInterface.getByInetAddress(service.address()) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /** Null if it cannot be read. */
    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return null;
        }
    }
}
