package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.multicast.MulticastReceiver;
import org.tamanoir.client.multicast.MulticastReceiverOptions;
import org.tamanoir.lab.Host;

/**
 * All receivers of a site in one process, each with the sockets of its own host: so that dozens of them are not dozens of JVMs.
 *
 * <p>{@code SiteReceivers GROUP VIA {NAME NAMESPACE DIRECTORY}…}, addresses as {@code 10.0.0.1:3322}. Prints {@code READY} when all listen,
 * a line for each that has failed, and ends when standard input does: a receiver that has the file still repairs for others.
 */
final class SiteReceivers {
    private static final int WORDS = 3;

    private SiteReceivers() {
    }

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress group = address(arguments[0]);
        InetSocketAddress via = address(arguments[1]);
        List<MulticastReceiver> receivers = new ArrayList<>();
        for (int i = 2; i + WORDS <= arguments.length; i += WORDS) {
            receivers.add(start(group, via, arguments[i], arguments[i + 1], Path.of(arguments[i + 2])));
        }
        System.out.println("READY " + receivers.size());
        awaitEndOfInput();
        receivers.forEach(MulticastReceiver::close);
    }

    /** Threads that are begun inside a host stay there, and so do their sockets. */
    private static MulticastReceiver start(InetSocketAddress group, InetSocketAddress via, String name, String namespace, Path directory)
            throws Exception {
        MulticastReceiver receiver = Host.insideNamespace(namespace,
                () -> MulticastReceiver.start(new MulticastReceiverOptions(group, name, directory).via(via)));
        receiver.result().whenComplete((result, failure) -> {
            if (failure != null) {
                System.err.println(name + ": " + (failure instanceof AnepException known ? known.getMessage() : failure.toString()));
            }
        });
        return receiver;
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // Nothing that is said here means anything.
        }
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }
}
