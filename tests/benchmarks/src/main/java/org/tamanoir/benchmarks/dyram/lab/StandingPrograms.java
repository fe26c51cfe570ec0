package org.tamanoir.benchmarks.dyram.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.CommandLineTool;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.MulticastTestbed;
import org.tamanoir.lab.Site;

/** A {@link StandingProgram} for the source and one for each site. They stay for all warm transmissions, as services do. */
final class StandingPrograms implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MulticastTestbed testbed;
    private final String group;
    private final List<LabProcess> sites = new ArrayList<>();
    private LabProcess source;
    private CompletableFuture<Void> sending = CompletableFuture.completedFuture(null);

    StandingPrograms(MulticastTestbed testbed, String group) {
        this.testbed = testbed;
        this.group = group;
    }

    /** Starts them, if they do not run. */
    void start() {
        if (sites.isEmpty()) {
            for (Site site : testbed.sites()) {
                sites.add(start(site.router(), site.lan().port().ipv4().getHostAddress()));
            }
            source = start(testbed.source(), testbed.access().second().ipv4().getHostAddress());
        }
    }

    private LabProcess start(Host host, String via) {
        return host.start("program", CommandLineTool.java(StandingProgram.class, group, via + ":" + Anep.PORT_DATA));
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
}
