package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
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

    private final HttpCache cache;
    private final ServiceContext service;
    private final List<InetSocketAddress> nodes;
    private boolean warned;

    /** @param text {@code ADDRESS:PORT, …}; empty for none @throws AnepException EE-501 */
    Neighbours(HttpCache cache, ServiceContext service, String text) {
        this.cache = cache;
        this.service = service;
        this.nodes = new ArrayList<>();
        for (String each : text.split("[,\\s]+")) {
            if (!each.isEmpty()) {
                InetSocketAddress node = address(each);
                if (node == null) {
                    throw new AnepException(ErrorCode.BAD_CONFIGURATION, "cache: neighbours has '" + each + "', which is not ADDRESS:PORT");
                }
                nodes.add(node);
            }
        }
    }

    /** Null for a text that is none. */
    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        byte[] host = colon < 0 ? null : NetUtil.createByteArrayFromIpAddressString(text.substring(0, colon).replaceAll("[\\[\\]]", ""));
        try {
            return host == null ? null : new InetSocketAddress(InetAddress.getByAddress(host), Integer.parseInt(text.substring(colon + 1)));
        } catch (UnknownHostException | IllegalArgumentException e) {
            return null;
        }
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
                calls.stream().filter(call -> call != brings).forEach(call -> call.connection.abort());
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

        Call(Question question) {
            this.question = question;
        }

        @Override
        public void onOctets(Connection from, ByteBuf octets) {
            try {
                if (fill == null && !answered(octets)) {
                    return;
                }
                if (!body.isDone()) {
                    body.take(octets, this::append);
                }
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
            return true;
        }

        private void append(ByteBuf from, int index, int length) {
            cache.counters().fromNeighbours.add(length);
            if (!objects.append(fill, from, index, length)) {
                connection.pause(true);
            }
        }

        @Override
        public void wake() {
            try {
                service.later(Duration.ZERO, () -> {
                    if (fill != null && objects.mayGoOn(fill)) {
                        connection.pause(false);
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
