package org.tamanoir.node.cluster.virtual;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The machine's network: {@code ip}(8), {@code /proc/sys/net}, and what the JDK knows of interfaces. Of the namespace of the thread that asks. */
final class HostNetwork {
    private static final Path SYSCTLS = Path.of("/proc/sys");
    private static final int PATIENCE_SECONDS = 5;
    private static final int MOST_OUTPUT = 4 << 20;

    private HostNetwork() {
    }

    static AnepException wrong(String what, Throwable cause) {
        return new AnepException(ErrorCode.BACK_END_SETUP, what, cause);
    }

    /**
     * Runs {@code ip}.
     *
     * @return what it printed
     * @throws AnepException EE-908 with what it said
     */
    static String ip(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        String said = String.join(" ", command);
        Process process;
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("LC_ALL", "C");
            process = builder.start();
        } catch (IOException e) {
            throw wrong("cannot run " + said + ": " + e.getMessage() + "; the program is in the package iproute2", e);
        }
        CompletableFuture<Void> limit = CompletableFuture.runAsync(process::destroyForcibly,
                CompletableFuture.delayedExecutor(PATIENCE_SECONDS, TimeUnit.SECONDS));
        try {
            process.getOutputStream().close();
            // One that does not end is killed, which ends the reading too.
            String output = new String(process.getInputStream().readNBytes(MOST_OUTPUT), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw wrong(said + " does not end", null);
            }
            if (process.exitValue() != 0) {
                throw wrong(said + ": " + output.lines().findFirst().orElse("it failed") + (output.contains("not permitted")
                        ? "; give the node CAP_NET_ADMIN, or do it by hand" : ""), null);
            }
            return output;
        } catch (IOException e) {
            throw wrong(said + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw wrong(said + " was interrupted", e);
        } finally {
            limit.cancel(false);
            process.destroyForcibly();
        }
    }

    /** A parameter of the kernel by its path under {@code /proc/sys}; null if there is none. */
    static String sysctl(String key) {
        try {
            return Files.readString(SYSCTLS.resolve(key)).strip();
        } catch (IOException e) {
            return null;
        }
    }

    /** A number of the kernel; 0 if there is none. */
    static int number(String key) {
        String value = sysctl(key);
        return value == null || !value.matches("-?\\d{1,9}") ? 0 : Integer.parseInt(value);
    }

    /** @throws AnepException EE-908 */
    static void sysctl(String key, String value) {
        try {
            Files.writeString(SYSCTLS.resolve(key), value);
        } catch (IOException e) {
            throw wrong(dotted(key) + " is " + sysctl(key) + " and should be " + value + ", and cannot be changed: " + AnepException.reason(e), e);
        }
    }

    /** As sysctl(8) writes it, which has a slash where the name of an interface has a dot. */
    static String dotted(String key) {
        return key.indexOf('.') >= 0 ? key : key.replace('/', '.');
    }

    /** The interface that has an address; null if none has. */
    static NetworkInterface holder(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address);
        } catch (SocketException e) {
            return null;
        }
    }

    static boolean isUp(String device) {
        try {
            NetworkInterface found = NetworkInterface.getByName(device);
            return found != null && found.isUp();
        } catch (SocketException e) {
            return false;
        }
    }

    /** Whether an interface has an address of IPv4. */
    static boolean hasFour(String device) {
        try {
            NetworkInterface found = NetworkInterface.getByName(device);
            return found != null && found.inetAddresses().anyMatch(VirtualAddress::isFour);
        } catch (SocketException e) {
            return false;
        }
    }

    /** Whether an interface is the loopback, or one that does not speak ARP. */
    static boolean isSilent(NetworkInterface device) {
        try {
            return device.isLoopback() || ip("link", "show", "dev", device.getName()).contains("NOARP");
        } catch (SocketException e) {
            return false;
        }
    }

    /** Interfaces by which the node is reached: that of its own address, and those of networks that a virtual address belongs to. */
    static List<String> concerned(InetAddress own, InetAddress virtual) {
        List<String> names = new ArrayList<>();
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                if (!each.isLoopback() && each.getInterfaceAddresses().stream().anyMatch(address -> own.equals(address.getAddress())
                        || contains(address, virtual))) {
                    names.add(each.getName());
                }
            }
        } catch (SocketException e) {
            throw wrong("the interfaces cannot be listed: " + e.getMessage(), e);
        }
        return names;
    }

    /** Whether an address is in the network of another one, and is not that one itself. */
    private static boolean contains(InterfaceAddress network, InetAddress address) {
        byte[] prefix = network.getAddress().getAddress();
        byte[] octets = address.getAddress();
        int bits = network.getNetworkPrefixLength();
        if (prefix.length != octets.length || bits <= 0 || bits >= 8 * prefix.length) {
            return false;
        }
        for (int i = 0; i < bits; i++) {
            if (((prefix[i / 8] ^ octets[i / 8]) >> (7 - i % 8) & 1) != 0) {
                return false;
            }
        }
        return true;
    }
}
