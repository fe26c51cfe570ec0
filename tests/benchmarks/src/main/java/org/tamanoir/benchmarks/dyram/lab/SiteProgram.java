package org.tamanoir.benchmarks.dyram.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.process.Requests;
import org.tamanoir.client.multicast.MulticastReceiver;
import org.tamanoir.client.multicast.MulticastReceiverOptions;
import org.tamanoir.client.multicast.MulticastSender;
import org.tamanoir.client.multicast.MulticastSenderOptions;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;

/**
 * An application of the client library that runs for many transmissions: the source, or all receivers of a site in one process, each with
 * the sockets of its own host, so that dozens of receivers are not dozens of JVMs.
 *
 * <p>{@code SiteProgram GROUP VIA}, addresses as {@code 10.0.0.1:3322}; then a line at a time on standard input:
 *
 * <pre>
 * receive NAME NAMESPACE DIRECTORY    listens for a session, and answers "LISTENS NAME"
 * send EXPECT RATE FILE ENDED         sends a file to that many receivers, and makes the file ENDED when all of them have it or are given up; answers "SENDS"
 * close                               closes receivers and sender, and answers "CLOSED"
 * </pre>
 *
 * <p>A receiver that has the file repairs for others until it is closed. What goes wrong is written to standard error. The program ends with
 * its standard input.
 */
final class SiteProgram {
    private final InetSocketAddress group;
    private final InetSocketAddress via;
    private final List<Runnable> open = new ArrayList<>();

    private SiteProgram(String group, String via) {
        this.group = address(group);
        this.via = address(via);
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    public static void main(String[] arguments) throws Exception {
        SiteProgram program = new SiteProgram(arguments[0], arguments[1]);
        Requests.serve(words -> switch (words[0]) {
            case "receive" -> program.receive(words[1], words[2], Path.of(words[3]));
            case "send" -> program.send(Integer.parseInt(words[1]), Long.parseLong(words[2]), Path.of(words[3]), Path.of(words[4]));
            default -> program.close();
        });
    }

    /** Threads that are begun inside a host stay there, and so do their sockets. */
    private String receive(String name, String namespace, Path directory) {
        MulticastReceiver receiver;
        try {
            receiver = Host.insideNamespace(namespace, () -> MulticastReceiver.start(new MulticastReceiverOptions(group, name, directory).via(via)));
        } catch (Exception e) {
            throw new LabException("no receiver in " + namespace, e);
        }
        open.add(receiver::close);
        receiver.result().whenComplete((result, failure) -> complain(name, failure));
        return "LISTENS " + name;
    }

    private String send(int expect, long rate, Path file, Path ended) {
        MulticastSender sender = MulticastSender.start(new MulticastSenderOptions(group, List.of(file)).via(via).expect(expect).rate(rate));
        open.add(sender::close);
        sender.result().whenComplete((result, failure) -> {
            complain("source", failure);
            try {
                Files.createFile(ended);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return "SENDS";
    }

    private String close() {
        open.forEach(Runnable::run);
        open.clear();
        return "CLOSED";
    }

    private static void complain(String who, Throwable failure) {
        if (failure != null) {
            System.err.println(who + ": " + (failure instanceof AnepException known ? known.getMessage() : failure.toString()));
        }
    }
}
