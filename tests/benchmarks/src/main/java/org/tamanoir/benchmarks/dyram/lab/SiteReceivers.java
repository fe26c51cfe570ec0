package org.tamanoir.benchmarks.dyram.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
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
 * <p>{@code SiteReceivers GROUP VIA}, addresses as {@code 10.0.0.1:3322}; then a line at a time on standard input:
 *
 * <pre>
 * receive NAME NAMESPACE DIRECTORY    begins to listen for a session, and answers "LISTENS NAME"
 * close                               closes all receivers, and answers "CLOSED"
 * </pre>
 *
 * <p>A receiver that has the file still repairs for others until it is closed. What goes wrong is written to standard error. Ends when
 * standard input does.
 */
final class SiteReceivers {
    private final InetSocketAddress group;
    private final InetSocketAddress via;
    private final List<MulticastReceiver> receivers = new ArrayList<>();

    private SiteReceivers(InetSocketAddress group, InetSocketAddress via) {
        this.group = group;
        this.via = via;
    }

    public static void main(String[] arguments) throws Exception {
        SiteReceivers site = new SiteReceivers(address(arguments[0]), address(arguments[1]));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println(site.obey(line.split(" ", 4)));
            }
        }
        site.close();
    }

    private String obey(String[] words) throws Exception {
        if (words[0].equals("receive")) {
            receive(words[1], words[2], Path.of(words[3]));
            return "LISTENS " + words[1];
        }
        if (words[0].equals("close")) {
            close();
            return "CLOSED";
        }
        throw new IOException("'" + words[0] + "' is nothing that can be done");
    }

    /** Threads that are begun inside a host stay there, and so do their sockets. */
    private void receive(String name, String namespace, Path directory) throws Exception {
        MulticastReceiver receiver = Host.insideNamespace(namespace,
                () -> MulticastReceiver.start(new MulticastReceiverOptions(group, name, directory).via(via)));
        receivers.add(receiver);
        receiver.result().whenComplete((result, failure) -> {
            if (failure != null) {
                System.err.println(name + ": " + (failure instanceof AnepException known ? known.getMessage() : failure.toString()));
            }
        });
    }

    private void close() {
        receivers.forEach(MulticastReceiver::close);
        receivers.clear();
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }
}
