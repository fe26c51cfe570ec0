package org.tamanoir.benchmarks.process;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** A running {@code tamanoir gateway}. */
public final class GatewayProcess {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String READY = "READY gateway ";

    private final LabProcess process;
    private final InetSocketAddress address;

    private GatewayProcess(LabProcess process) {
        this.process = process;
        // READY gateway 127.0.0.1:40001
        String text = process.awaitLine(READY, PATIENCE).substring(READY.length()).split(" ")[0];
        int colon = text.lastIndexOf(':');
        this.address = new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /**
     * Starts it on a free port of loopback, and returns when it serves.
     *
     * @param via     the first node
     * @param to      the server
     * @param service of every stream
     * @throws LabException if it does not get ready; the message holds what it wrote
     */
    public static GatewayProcess start(Build build, Starter starter, InetSocketAddress via, InetSocketAddress to, String service) {
        return new GatewayProcess(starter.start("gateway",
                build.command("gateway", "--listen", "127.0.0.1:0", "--via", text(via), "--to", text(to), "--service", service)));
    }

    /** Where programs connect. */
    public InetSocketAddress address() {
        return address;
    }

    public ProcessTree tree() {
        return new ProcessTree(process.pid());
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
