package org.tamanoir.transfer.copy;

import java.nio.ByteBuffer;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.transfer.wire.FetchOrder;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.MessageStream;
import org.tamanoir.transfer.wire.MessageStream.Received;

/**
 * A copy from mover to mover: the one of the destination is asked to fetch, and says how far it is; no octet of a file comes here. Where nodes mark what goes in the
 * direction of a stream (QoSinus), that of the source is asked to send. Asked again when the stream is lost: it goes on then where it was.
 */
public final class ThirdParty implements AutoCloseable {
    private static final long PAUSE_MILLIS = 500;

    private final FetchOrder order;
    private final CopyOptions options;
    private final End.Remote end;
    private volatile Message.Fetching progress = Message.Fetching.NOTHING;
    private volatile long movedBefore;
    private volatile boolean stopped;
    // Guarded by this.
    private MoverPort asked;
    private long need;

    /**
     * @param copy names it at the mover: one that is asked for under the same name ends the one before
     * @param sources of the same movers
     * @param destination at movers; the first one makes the copy, or the first one of the sources
     * @param options how octets go from mover to mover; its token is that of the destination's movers
     * @param sourceToken what the movers of the sources are shown; null for nothing
     * @param via by which nodes the mover that makes the copy is asked; empty to ask it straight
     */
    public ThirdParty(String copy, List<Place> sources, Place destination, CopyOptions options, String sourceToken, List<NodeAddress> via, TamanoirClient client) {
        this.options = options;
        boolean push = QosFlow.isFor(options);
        String own = push ? sourceToken : options.token();
        String other = push ? options.token() : sourceToken;
        this.order = new FetchOrder(sources.stream().map(ThirdParty::text).toList(), text(destination), push, options.via().stream().map(NodeAddress::toString).toList(),
                options.services(), other == null ? "" : other, own == null ? "" : own, options.streams(), options.piece(), options.include(), options.exclude(), options.update(),
                options.sha256(), options.rate(), options.patience().toMillis());
        CopyOptions asking = CopyOptions.PRESET.by(via, options.services()).token(own).patience(options.patience());
        this.end = new End.Remote(client, push ? sources.get(0) : destination, asking, copy);
    }

    /** As it is read again. */
    private static String text(Place place) {
        return place + (place.directory() && !place.path().isEmpty() ? "/" : "");
    }

    /** Whether movers alone copy. */
    public static boolean isFor(List<Place> sources, Place destination) {
        return destination.mover() != null && sources.stream().allMatch(one -> one.mover() != null);
    }

    /** Has everything copied. @throws AnepException what ended it before, as {@link Plan#run} says; EE-210 if it was stopped */
    public CopyReport run() throws InterruptedException {
        long last = System.nanoTime();
        int lost = 0;
        while (true) {
            try (MoverPort port = end.port(0, octets -> { })) {
                ask(port);
                while (true) {
                    Received received = port.reply(Message.Reply.class);
                    last = System.nanoTime();
                    if (received.message() instanceof Message.Fetching now) {
                        progress = now;
                    } else if (received.message() instanceof Message.Fetched) {
                        return report(received, lost);
                    } else {
                        throw new AnepException(ErrorCode.BAD_REQUEST, "the mover answers what was not asked: " + received.message().getClass().getSimpleName());
                    }
                }
            } catch (AnepException e) {
                synchronized (this) {
                    asked = null;
                }
                // What has changed on its way is asked again; everything else that the mover answers is so.
                if (e instanceof Refusal || e instanceof PieceFailed && e.code() != ErrorCode.EXTENT_DAMAGED) {
                    throw e;
                }
                if (stopped) {
                    throw new AnepException(ErrorCode.STOPPING, "the copy has been stopped", e);
                }
                if (Refusal.isFor(e.code())) {
                    throw e;
                }
                if (System.nanoTime() - last > options.patience().toNanos()) {
                    throw new AnepException(ErrorCode.COPY_STALLED, "the mover that copies has said nothing for " + options.patience().toSeconds() + " s; the last stream was lost by "
                            + e.getMessage(), e);
                }
                lost++;
                movedBefore += progress.moved();
                progress = new Message.Fetching(progress.files(), progress.ofFiles(), progress.octets(), 0, progress.resumed());
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    private synchronized void ask(MoverPort port) throws InterruptedException {
        port.send(new Message.Fetch(), MessageStream.body(order));
        asked = port;
        if (need > 0) {
            port.tell(new Message.Need(need));
        }
    }

    /** It needs so many octets a second from now on. From any thread. */
    public synchronized void need(long rate) throws InterruptedException {
        need = rate;
        if (asked != null) {
            try {
                asked.tell(new Message.Need(rate));
            } catch (AnepException e) {
                // It is told with the next stream.
            }
        }
    }

    private CopyReport report(Received received, int lost) {
        if (!received.sound()) {
            throw new AnepException(ErrorCode.EXTENT_DAMAGED, "what the mover says has changed on its way");
        }
        ByteBuffer body = received.body();
        byte[] json = new byte[body.remaining()];
        body.get(json);
        CopyReport last = MessageStream.parse(json, CopyReport.class);
        return new CopyReport(last.files(), last.present(), last.skipped(), last.octets(), last.resumed(), last.holes(), last.moved() + movedBefore, last.seconds(), last.streams(),
                last.lostStreams() + lost, last.failures(), last.failed());
    }

    /** How far it is, as the mover has said last. From any thread. */
    public Message.Fetching progress() {
        Message.Fetching now = progress;
        return new Message.Fetching(now.files(), now.ofFiles(), now.octets(), now.moved() + movedBefore, now.resumed());
    }

    /** Has {@link #run} end soon, and the copy with it. From any thread. */
    public void stop() {
        stopped = true;
        end.stop();
    }

    @Override
    public void close() {
        end.close();
    }
}
