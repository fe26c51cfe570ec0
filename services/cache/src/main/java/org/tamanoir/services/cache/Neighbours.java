package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Timer;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections.Remote;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.HeadReader;
import org.tamanoir.services.cache.http.NotUnderstoodException;
import org.tamanoir.services.cache.objects.CachedObjects;
import org.tamanoir.services.cache.objects.Fill;
import org.tamanoir.services.cache.objects.Waiter;
import org.tamanoir.services.cache.rules.Storing;
import org.tamanoir.services.cache.rules.Stored;
import org.tamanoir.services.cache.rules.Variant;

/**
 * The caches of other nodes, which are asked before an origin: all at once, for what they have and may give to everybody. The first that has it brings it; if it
 * ends early, whoever reads goes on at the origin. {@link NeighbourStream} is the other side. Among the tasks of the service.
 */
final class Neighbours {
    /** In a question: whose answers are meant, as ADDRESS:PORT. */
    static final String ORIGIN = "Tamanoir-Origin";
    /** How long the origin waits for neighbours that do not answer. */
    private static final Duration PATIENCE = Duration.ofMillis(300);
    /** After which a neighbour that brings nothing more is left, and readers go on at the origin. */
    private static final Duration STALL = Duration.ofSeconds(5);

    private final HttpCache cache;
    private final ServiceContext service;
    private final List<InetSocketAddress> nodes;
    private boolean warned;

    /** @param nodes none for nobody */
    Neighbours(HttpCache cache, ServiceContext service, List<InetSocketAddress> nodes) {
        this.cache = cache;
        this.service = service;
        this.nodes = nodes;
    }

    /**
     * Asks for what an exchange wants.
     *
     * @param then runs once, when it begins to come, or nobody has it
     * @return false if there is nobody to ask, or it is nothing that one could give
     */
    boolean ask(Exchange exchange, InetSocketAddress origin, Runnable then) {
        Head request = exchange.request;
        if (nodes.isEmpty() || origin.getAddress() == null || !request.method().equals("GET") || request.has("range") || Storing.hasCredentials(request)) {
            return false;
        }
        try {
            service.later(Duration.ZERO, () -> new Question(exchange, origin, then).begin());
            return true;
        } catch (AnepException e) {
            // Too much waits already: the origin is asked at once.
            return false;
        }
    }

    private final class Question {
        private final Exchange exchange;
        private final Runnable then;
        private final byte[] asks;
        private final long askedMillis = cache.nowMillis();
        private final List<Call> calls = new ArrayList<>();
        private Timer patience;
        private boolean over;

        Question(Exchange exchange, InetSocketAddress origin, Runnable then) {
            this.exchange = exchange;
            this.then = then;
            this.asks = exchange.request.without("cache-control", "pragma", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "connection")
                    .with("Cache-Control", "only-if-cached").with(ORIGIN, Way.name(origin)).octets();
        }

        void begin() {
            for (InetSocketAddress node : nodes) {
                Call call = new Call(this);
                try {
                    call.connection = service.connections().open(Remote.node(node.getAddress().getHostAddress(), node.getPort()), call);
                    call.connection.write(Unpooled.wrappedBuffer(asks));
                    calls.add(call);
                } catch (AnepException e) {
                    if (!warned) {
                        warned = true;
                        service.logger().warn("a neighbour is not asked: {}", e.getMessage());
                    }
                }
            }
            if (calls.isEmpty()) {
                decided(null);
                return;
            }
            try {
                patience = service.later(PATIENCE, () -> decided(null));
            } catch (AnepException e) {
                decided(null);
            }
        }

        /** @param brings the one that has it; null for none */
        void decided(Call brings) {
            if (!over) {
                over = true;
                if (patience != null) {
                    patience.cancel();
                }
                List.copyOf(calls).stream().filter(call -> call != brings).forEach(call -> call.connection.abort());
                then.run();
            }
        }

        void hasNot(Call call) {
            calls.remove(call);
            call.connection.abort();
            if (calls.isEmpty()) {
                decided(null);
            }
        }
    }

    private final class Call implements ConnectionHandler, Waiter {
        private final Question question;
        private final CachedObjects objects = cache.objects();
        private final HeadReader heads = new HeadReader(true);
        private Connection connection;
        private Body body;
        private Fill fill;
        private long cameNanos;
        private boolean paused;

        Call(Question question) {
            this.question = question;
        }

        @Override
        public void onOctets(Connection from, ByteBuf octets) {
            cameNanos = service.nanoTime();
            try {
                if (fill == null && !answered(octets)) {
                    return;
                }
                if (body == null) {
                    return;
                }
                body.take(octets, this::append);
                if (body.isDone()) {
                    objects.end(fill, true);
                    body = null;
                    from.abort();
                }
            } catch (NotUnderstoodException e) {
                gone();
            }
        }

        /** Whether it is known now that this one brings it. */
        private boolean answered(ByteBuf octets) throws NotUnderstoodException {
            Head head = heads.read(octets);
            if (head == null) {
                return false;
            }
            body = Body.of(head, "GET");
            Head request = question.exchange.request;
            Stored stored = Stored.of(head, question.askedMillis, cache.nowMillis(), false);
            boolean serves = !question.over && head.status() == 200 && body.length() > 0 && cache.objects().find(question.exchange.key, request) == null
                    && Storing.refusal(request, head, body, stored, cache.settings().largest(), cache.settings().heuristic()) == null;
            if (!serves) {
                question.hasNot(this);
                return false;
            }
            fill = objects.begin(objects.add(question.exchange.key, Variant.of(request, head), stored, body.length()), 0, body.length(), this);
            question.decided(this);
            watch();
            return true;
        }

        private void watch() {
            if (body == null) {
                return;
            }
            if (!paused && service.nanoTime() - cameNanos > STALL.toNanos()) {
                gone();
                return;
            }
            try {
                service.later(STALL, this::watch);
            } catch (AnepException e) {
                gone();
            }
        }

        private void append(ByteBuf from, int index, int length) {
            cache.counters().fromNeighbours.add(length);
            if (!objects.append(fill, from, index, length) && !paused) {
                pause(true);
            }
        }

        private void pause(boolean now) {
            paused = now;
            connection.pause(now);
        }

        @Override
        public void wake() {
            try {
                service.later(Duration.ZERO, () -> {
                    if (paused && objects.mayGoOn(fill)) {
                        pause(false);
                    }
                });
            } catch (AnepException e) {
                // It is woken again by the next block that is kept.
            }
        }

        @Override
        public void onEnd(Connection from) {
            gone();
        }

        @Override
        public void onClosed(Connection from, AnepException why) {
            gone();
        }

        /** What it has brought stays, and somebody else brings the rest. */
        private void gone() {
            if (fill == null) {
                question.hasNot(this);
            } else if (body != null) {
                body = null;
                objects.leave(fill);
                connection.abort();
            }
        }
    }
}
