package org.tamanoir.services.cache;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Task;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections.Remote;
import org.tamanoir.services.cache.http.Body;
import org.tamanoir.services.cache.http.Field;
import org.tamanoir.services.cache.http.Head;
import org.tamanoir.services.cache.http.NotUnderstoodException;
import org.tamanoir.services.cache.objects.CachedObjects;

/** Fetches one URL for nobody, before somebody asks: the same exchange as that of a program, over a connection of the service. Runs among the tasks of the service. */
final class Warming implements ConnectionHandler, Way {
    private final ServiceContext service;
    private final InetSocketAddress origin;
    private final CachedObjects objects;
    private final Exchanges exchanges;
    private final Exchange exchange;
    private final Connection connection;
    private final SinkOutput forward = new SinkOutput(octets -> connection().write(octets));
    private final SinkOutput nowhere = new SinkOutput(ByteBuf::release);
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private boolean over;

    /** @throws AnepException what {@link org.tamanoir.service.connection.Connections#open} throws */
    Warming(HttpCache cache, ServiceContext service, URI url, InetSocketAddress origin) {
        this.service = service;
        this.objects = cache.objects();
        this.origin = origin;
        String target = url.getRawPath().isEmpty() ? "/" : url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
        Head request = new Head("GET", target, "HTTP/1.1", List.of(new Field("Host", url.getRawAuthority())));
        this.exchanges = new Exchanges(cache, this, this::start);
        try {
            this.exchange = new Exchange(request, request.octets(), Body.of(request), Exchange.key(origin, request), cache.nowMillis());
        } catch (NotUnderstoodException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, url + " is no URL that can be asked for", e);
        }
        this.connection = service.connections().open(Remote.server(origin.getAddress().getHostAddress(), origin.getPort()), this);
    }

    private Connection connection() {
        return connection;
    }

    /** Has it go on soon. */
    void start() {
        if (scheduled.compareAndSet(false, true) && !execute((ahead, back) -> {
            scheduled.set(false);
            step();
        })) {
            scheduled.set(false);
        }
    }

    private void step() {
        if (over) {
            return;
        }
        try {
            while (!isHere() && exchanges.goesOn(exchange, forward, nowhere)) {
                // Until it waits for something.
            }
        } catch (AnepException e) {
            service.logger().info("{} is not warm: {}", exchange.key, e.getMessage());
            end();
        }
        if (exchange.state == Exchange.State.DONE || isHere()) {
            end();
        }
    }

    /** Whether all of it is on the disk: to read it for nobody would only take the place in memory of what is read by somebody. */
    private boolean isHere() {
        return exchange.state == Exchange.State.SERVED && objects.isComplete(exchange.object);
    }

    private void end() {
        over = true;
        exchanges.close(exchange);
        connection.abort();
    }

    @Override
    public void onOctets(Connection from, ByteBuf octets) {
        if (over) {
            return;
        }
        try {
            exchanges.answer(octets, exchange, nowhere);
            step();
        } catch (NotUnderstoodException | AnepException e) {
            service.logger().info("{} is not warm: {}", exchange.key, e.getMessage());
            end();
        }
    }

    @Override
    public void onEnd(Connection from) {
        if (!over) {
            exchanges.originEnded(exchange);
            step();
        }
    }

    @Override
    public void onClosed(Connection from, AnepException why) {
        if (!over) {
            service.logger().info("{} is not warm: {}", exchange.key, why == null ? "the origin has ended the connection" : why.getMessage());
            end();
        }
    }

    @Override
    public InetSocketAddress origin() {
        return origin;
    }

    @Override
    public boolean execute(Task task) {
        return soon(Duration.ZERO, task);
    }

    @Override
    public void later(Duration delay, Task task) {
        soon(delay, task);
    }

    /** Where the service has too much to do already it is not fetched; that is no matter of whoever has woken it, which may be the stream of a program. */
    private boolean soon(Duration delay, Task task) {
        try {
            service.later(delay, () -> run(task));
            return true;
        } catch (AnepException e) {
            service.logger().info("{} is not warm: {}", exchange.key, e.getMessage());
            connection.abort();
            return false;
        }
    }

    private void run(Task task) {
        try {
            task.run(forward, nowhere);
        } catch (Exception e) {
            service.logger().warn("{} is not warm", exchange.key, e);
            end();
        }
    }

    @Override
    public boolean pauseOrigin(boolean pause) {
        connection.pause(pause);
        return true;
    }
}
