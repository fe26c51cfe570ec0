package org.tamanoir.client.qos;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.ClientStream;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Answer;
import org.tamanoir.qos.wire.Messages.Op;
import org.tamanoir.qos.wire.Messages.Request;
import org.tamanoir.service.qos.ServiceLevel;

/**
 * Opens, modifies and releases QoS sessions on the path to a destination. From any thread; calls wait for the answer.
 *
 * <pre>{@code
 * QosClient qos = new QosClient(client);
 * QosSession session = qos.open(node, receiver, LevelReader.read("delay=low"));
 * client.open(new StreamRequest().via(node).to(receiver).services("monitoring").qosSession(session.code()));
 * }</pre>
 */
public final class QosClient {
    /** A request is sent again so often until there is an answer: it goes as a datagram. */
    private static final Duration AGAIN = Duration.ofMillis(500);
    /** What the first node lets the others take; less than the answer is waited for here. */
    private static final int PATIENCE_MS = 4_000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** A request names a port because every stream does; only the nodes on the way to its host read it. */
    private static final int PORT = 3322;

    private final TamanoirClient client;

    /** Sends by way of a client, which stays the caller's. */
    public QosClient(TamanoirClient client) {
        this.client = client;
    }

    /**
     * Opens a session for a flow through a node to a destination.
     *
     * @throws AnepException EE-801 for a level that makes no sense, EE-804 to 806 for one that is refused, EE-807 if nobody answers, EE-204 if
     *                       the node cannot be reached. A session that not every node has stored is no error: {@link QosSession#partial}
     */
    public QosSession open(InetSocketAddress via, InetSocketAddress to, ServiceLevel level) throws InterruptedException {
        return ask(via, to, Op.OPEN, 0, level);
    }

    /** Gives a session another level; EE-802 if the node knows no such session. */
    public QosSession modify(InetSocketAddress via, InetSocketAddress to, long code, ServiceLevel level) throws InterruptedException {
        return ask(via, to, Op.MODIFY, code, level);
    }

    /** Ends a session; EE-802 if the node knows no such session. */
    public QosSession release(InetSocketAddress via, InetSocketAddress to, long code) throws InterruptedException {
        return ask(via, to, Op.RELEASE, code, null);
    }

    private QosSession ask(InetSocketAddress via, InetSocketAddress to, Op op, long code, ServiceLevel level) throws InterruptedException {
        InetSocketAddress host = new InetSocketAddress(NetworkFailures.resolved(to).getAddress(), PORT);
        StreamRequest opening = new StreamRequest().via(via).to(host).services("qosinus").udp(true).discardUnknown(false)
                .packetSize(StreamRequest.UDP_LARGEST);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Answer answer;
            try (ClientStream stream = client.open(opening)) {
                answer = answer(stream, new Request(op, newNumber(), code, level, PATIENCE_MS, List.of()), via, end);
            }
            if (answer.isDone()) {
                return QosSession.of(answer);
            }
            // A node whose qosinus is being replaced says so; a new stream gets the next version.
            if (answer.code() != ErrorCode.BUSY || System.nanoTime() > end) {
                throw new AnepException(answer.code(), answer.text());
            }
            Thread.sleep(AGAIN.toMillis());
        }
    }

    private static long newNumber() {
        long number;
        do {
            number = ThreadLocalRandom.current().nextLong();
        } while (number == 0);
        return number;
    }

    private static Answer answer(ClientStream stream, Request request, InetSocketAddress via, long end) throws InterruptedException {
        CompletableFuture<Answer> answered = new CompletableFuture<>();
        stream.payloads().subscribe(new Answers(request.number(), answered));
        while (System.nanoTime() < end) {
            stream.send(Messages.write(request, PooledByteBufAllocator.DEFAULT));
            try {
                return answered.get(AGAIN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // Once more.
            } catch (ExecutionException e) {
                AnepException cause = NetworkFailures.of(e.getCause(), via);
                throw new AnepException(cause.code(), cause.text(), cause);
            }
        }
        throw new AnepException(ErrorCode.NO_QOS_NODE, "no node has answered within " + PATIENCE.toSeconds() + " s; the first one is "
                + EventLoops.text(via));
    }

    /** Waits for the answer to one request. */
    private record Answers(long number, CompletableFuture<Answer> answered) implements Flow.Subscriber<ByteBuf> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(ByteBuf payload) {
            try {
                Answer answer = Messages.isMessage(payload) ? Messages.answer(payload) : null;
                if (answer != null && answer.number() == number) {
                    answered.complete(answer);
                }
            } catch (AnepException e) {
                // Nothing that a node says: the true answer may still come.
            } finally {
                payload.release();
            }
        }

        @Override
        public void onError(Throwable failure) {
            answered.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            answered.completeExceptionally(new AnepException(ErrorCode.CONNECTION_LOST, "the node has ended the request"));
        }
    }
}
