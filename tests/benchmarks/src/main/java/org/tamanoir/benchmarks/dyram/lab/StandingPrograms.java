package org.tamanoir.benchmarks.dyram.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.client.multicast.MulticastReceiver;
import org.tamanoir.client.multicast.MulticastReceiverOptions;
import org.tamanoir.client.multicast.MulticastSender;
import org.tamanoir.client.multicast.MulticastSenderOptions;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastNodeAddresses;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.MulticastTestbed.Site;

/** A {@link Program} for the source and one for each site. They stay for all warm transmissions, as services do. */
final class StandingPrograms implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MulticastTestbed testbed;
    private final MulticastNodeAddresses at;
    private final String group;
    private final List<LabProcess> sites = new ArrayList<>();
    private LabProcess source;
    private CompletableFuture<Void> sending = CompletableFuture.completedFuture(null);

    StandingPrograms(MulticastTestbed testbed, String group) {
        this.testbed = testbed;
        this.at = new MulticastNodeAddresses(testbed, false);
        this.group = group;
    }

    /** Starts them, if they do not run. */
    void start() {
        if (sites.isEmpty()) {
            for (Site site : testbed.sites()) {
                sites.add(start(site.router(), at.site(site)));
            }
            source = start(testbed.source(), at.source());
        }
    }

    private LabProcess start(Host host, String via) {
        return host.start("program", CommandLineTool.java(Program.class, group, via));
    }

    /** Has a receiver listen for a session. @throws org.tamanoir.lab.LabException if it cannot */
    void receive(int site, Host host, Path directory) {
        sites.get(site).tell("receive " + host.name() + " " + host.namespace() + " " + directory);
        sites.get(site).awaitLine("LISTENS " + host.name(), PATIENCE);
    }

    /** Has the source send a file. */
    void send(int expect, long bits, Path file) {
        source.tell("send " + expect + " " + bits + " " + file);
        LabProcess sends = source;
        sending = CompletableFuture.runAsync(() -> sends.awaitLine("ENDED", Duration.ofDays(1)));
    }

    /** Whether not all have the file or are given up, and the source's program runs. */
    boolean isSending() {
        return !sending.isDone();
    }

    /** Closes the receivers of all sites and the sender. */
    void closeTransmission() {
        all().forEach(process -> process.tell("close"));
        // It reads the source's lines until then.
        sending.handle((done, failure) -> null).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        all().forEach(process -> process.awaitLine("CLOSED", PATIENCE));
    }

    /** What the receivers of a site have complained about so far. */
    String errors(int site) {
        return sites.get(site).errors().strip();
    }

    LongStream pids() {
        return all().mapToLong(LabProcess::pid);
    }

    private Stream<LabProcess> all() {
        return Stream.concat(sites.stream(), Stream.ofNullable(source));
    }

    /** Ends them; they are restarted when they are needed. */
    @Override
    public void close() {
        all().forEach(LabProcess::close);
        sites.clear();
        source = null;
    }

    /**
     * An application of the client library that runs for many transmissions: the source, or all receivers of a site in one process, each with
     * the sockets of its own host, so that dozens of receivers are not dozens of JVMs.
     *
     * <p>{@code Program GROUP VIA}, addresses as {@code 10.0.0.1:3322}; then a line at a time on standard input:
     *
     * <pre>
     * receive NAME NAMESPACE DIRECTORY    listens for a session, and answers "LISTENS NAME"
     * send EXPECT RATE FILE               sends a file to that many receivers, and answers "ENDED" when all of them have it or are given up
     * close                               closes receivers and sender, and answers "CLOSED"
     * </pre>
     *
     * <p>A receiver that has the file repairs for others until it is closed. What goes wrong is written to standard error. The program ends with
     * its standard input.
     */
    static final class Program {
        private final InetSocketAddress group;
        private final InetSocketAddress via;
        private final List<AutoCloseable> open = new ArrayList<>();

        private Program(InetSocketAddress group, InetSocketAddress via) {
            this.group = group;
            this.via = via;
        }

        public static void main(String[] arguments) throws Exception {
            Program program = new Program(address(arguments[0]), address(arguments[1]));
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    program.obey(line.split(" ", 4));
                }
            }
            program.close();
        }

        private void obey(String[] words) throws Exception {
            switch (words[0]) {
                case "receive" -> receive(words[1], words[2], Path.of(words[3]));
                case "send" -> send(Integer.parseInt(words[1]), Long.parseLong(words[2]), Path.of(words[3]));
                case "close" -> {
                    close();
                    System.out.println("CLOSED");
                }
                default -> throw new IOException("'" + words[0] + "' is no command of this program");
            }
        }

        /** Threads that are begun inside a host stay there, and so do their sockets. */
        private void receive(String name, String namespace, Path directory) throws Exception {
            MulticastReceiver receiver = Host.insideNamespace(namespace,
                    () -> MulticastReceiver.start(new MulticastReceiverOptions(group, name, directory).via(via)));
            open.add(receiver);
            receiver.result().whenComplete((result, failure) -> complain(name, failure));
            System.out.println("LISTENS " + name);
        }

        private void send(int expect, long rate, Path file) {
            MulticastSender sender = MulticastSender.start(new MulticastSenderOptions(group, List.of(file)).via(via).expect(expect).rate(rate));
            open.add(sender);
            sender.result().whenComplete((result, failure) -> {
                complain("source", failure);
                System.out.println("ENDED");
            });
        }

        private static void complain(String who, Throwable failure) {
            if (failure != null) {
                System.err.println(who + ": " + (failure instanceof AnepException known ? known.getMessage() : failure.toString()));
            }
        }

        private void close() throws Exception {
            for (AutoCloseable each : open) {
                each.close();
            }
            open.clear();
        }

        private static InetSocketAddress address(String text) {
            int colon = text.lastIndexOf(':');
            return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
        }
    }
}
