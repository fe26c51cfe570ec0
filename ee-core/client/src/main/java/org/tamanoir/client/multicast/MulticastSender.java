package org.tamanoir.client.multicast;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.multicast.file.FileContent;
import org.tamanoir.client.multicast.file.Manifest;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.dyram.source.SourceCore;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.State;

/**
 * Sends files to many receivers at once, and knows of each whether it has them.
 *
 * <pre>{@code
 * try (MulticastSender sender = MulticastSender.start(new MulticastSenderOptions(group, List.of(file)).via(node)
 *         .members(List.of("berlin", "lyon")).rate(50_000_000))) {
 *     SourceStatus end = sender.result().get().status();
 *     end.members().forEach(member -> System.out.println(member.name() + " " + member.state()));
 * }
 * }</pre>
 */
public final class MulticastSender implements AutoCloseable {
    /** How often it looks whether the state has changed. */
    private static final long LOOK_MILLIS = 10;

    private final FileContent content;
    private final Sockets sockets;
    private final CoreDriver driver;
    private final SourceCore core;
    private final long session;
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    private volatile SourceStatus last;
    private final InetSocketAddress via;
    private AnepException failure;
    private long began;
    private long ended;

    /**
     * How a session ended.
     *
     * @param status  of every receiver, and what was sent
     * @param seconds from the first packet until the last receiver was complete or given up
     */
    public record Result(SourceStatus status, double seconds) {
    }

    private MulticastSender(MulticastSenderOptions options, FileContent content) {
        this.content = content;
        this.via = options.via();
        SecureRandom random = new SecureRandom();
        this.session = random.nextLong() | 1;
        this.sockets = new Sockets("tamanoir-multicast-send");
        this.driver = new CoreDriver(sockets, via == null ? null : NetworkFailures.resolved(via), any -> true, this::fail);
        this.core = new SourceCore(options.settings(session, random.nextLong()), content, sockets, random);
        this.last = core.status();
    }

    /**
     * Announces a session, waits for its receivers and sends, all on a thread of its own.
     *
     * @throws AnepException EE-407, EE-408 or EE-409 for files that cannot be sent, EE-408 for options that make no sense, EE-604 if no
     *     network interface leads to the group, EE-204 if the node has no address, EE-502 for a port that is taken
     */
    public static MulticastSender start(MulticastSenderOptions options) {
        options.check();
        NetworkInterface leaves = leaves(options);
        FileContent content = FileContent.of(options.files(), options.packetSize());
        MulticastSender sender;
        try {
            sender = new MulticastSender(options, content);
        } catch (RuntimeException e) {
            content.close();
            throw e;
        }
        try {
            InetSocketAddress next = options.via() == null ? options.group() : NetworkFailures.resolved(options.via());
            sender.sockets.open(Interfaces.family(next), options.port(), leaves, options.hops(), sender.driver);
        } catch (RuntimeException e) {
            sender.close();
            throw e;
        }
        sender.driver.start(sender.core);
        Thread reader = new Thread(content::digestFiles, "tamanoir-multicast-digest");
        reader.setDaemon(true);
        reader.start();
        sender.sockets.loop().scheduleAtFixedRate(sender::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return sender;
    }

    private static NetworkInterface leaves(MulticastSenderOptions options) {
        if (options.networkInterface() != null) {
            return Interfaces.named(options.networkInterface());
        }
        if (options.via() != null) {
            return null;
        }
        NetworkInterface chosen = Interfaces.toward(options.group());
        if (chosen == null) {
            throw new AnepException(ErrorCode.NO_INTERFACE, "no network interface leads to the group " + EventLoops.text(options.group())
                    + ": name one (--interface), or a node (--via)");
        }
        return chosen;
    }

    private void look() {
        SourceStatus now = core.status();
        last = now;
        if (began == 0 && now.state() != State.GATHERING) {
            began = System.nanoTime();
        }
        if (ended == 0 && (now.state() == State.CLOSING || now.state() == State.OVER)) {
            ended = System.nanoTime();
        }
        if (now.state() == State.OVER && !result.isDone()) {
            end();
        }
    }

    private void end() {
        driver.end();
        if (failure != null) {
            result.completeExceptionally(failure);
        } else {
            result.complete(new Result(last, (ended - began) / 1e9));
        }
    }

    /** Files that cannot be read or have changed end the session; the receivers are told. */
    private void fail(AnepException error) {
        if (failure == null) {
            failure = error;
            driver.call(core::stop);
        } else {
            last = core.status();
            end();
        }
    }

    /** A random number that names the session. */
    public long session() {
        return session;
    }

    /** What is sent. */
    public Manifest manifest() {
        return content.manifest();
    }

    /** Whether the files are still read for their SHA-256, before which nothing is sent. */
    public boolean isReading() {
        return !content.isDigested();
    }

    /** How things are, some hundredths of a second ago at most. */
    public SourceStatus status() {
        return last;
    }

    /**
     * Why nobody may have come, by the node's own words where it has said that it cannot serve multicast (EE-302, for instance), EE-606 if
     * nothing has come from it at all; null otherwise.
     */
    public AnepException silence() {
        return via == null || core.nodeAnswers() ? null : driver.refusal() != null ? driver.refusal() : MulticastReceiver.silent(via);
    }

    /** Datagrams that came and were no message. */
    public long malformed() {
        return driver.malformed();
    }

    /** Datagrams that could not be sent because the socket did not take them. */
    public long overflown() {
        return sockets.overflown();
    }

    /** The end of the session: the status of every receiver, or EE-409 for files that were changed or cannot be read. */
    public CompletableFuture<Result> result() {
        return result.copy();
    }

    /** Ends the session early: the receivers are told, and the result comes some tenths of a second later. */
    public void stop() {
        driver.call(core::stop);
    }

    /** Ends everything at once; receivers that were not told find out by their patience. */
    @Override
    public void close() {
        driver.run(() -> {
            driver.end();
            content.close();
        });
        sockets.close();
        result.completeExceptionally(new AnepException(ErrorCode.STOPPING, "the sender was closed"));
    }
}
