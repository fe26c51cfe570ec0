package org.tamanoir.service.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.Position;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Task;
import org.tamanoir.service.Timer;
import org.tamanoir.service.Transport;

/** What a handler under test is told of its stream. */
final class HarnessStream implements StreamContext {
    private final StreamSetup setup;
    private final ServiceContext service;
    private final VirtualTime time;
    private final StreamTasks tasks;
    private boolean sourcePaused;
    private boolean destinationPaused;
    private boolean opened;
    private final MapConfiguration parameters;
    private boolean connectsLater;

    HarnessStream(StreamSetup setup, ServiceContext service, VirtualTime time, StreamTasks tasks) {
        this.setup = setup;
        this.service = service;
        this.time = time;
        this.tasks = tasks;
        this.parameters = new MapConfiguration("parameters", setup.parameters, ErrorCode.BAD_PARAMETER);
    }

    /** {@code open} has returned. */
    void opened() {
        parameters.checkAllAsked();
        opened = true;
    }

    @Override
    public Configuration parameters() {
        return parameters;
    }

    boolean connectsLater() {
        return connectsLater;
    }

    @Override
    public boolean connectLater() {
        if (opened) {
            throw new ContractViolation("whether the node connects later is said in open");
        }
        connectsLater = setup.transport == Transport.TCP;
        return connectsLater;
    }

    boolean isDestinationPaused() {
        return destinationPaused;
    }

    boolean isSourcePaused() {
        return sourcePaused;
    }

    @Override
    public long id() {
        return setup.id;
    }

    @Override
    public int typeId() {
        return setup.chain.get(0);
    }

    @Override
    public List<Integer> chain() {
        return setup.chain;
    }

    @Override
    public Transport transport() {
        return setup.transport;
    }

    @Override
    public Position position() {
        return setup.position;
    }

    @Override
    public InetSocketAddress source() {
        return setup.source;
    }

    @Override
    public boolean isFromPeer() {
        return setup.fromPeer;
    }

    @Override
    public boolean isPeer(InetAddress address) {
        return setup.peers.contains(address);
    }

    @Override
    public InetSocketAddress destination() {
        return setup.destination;
    }

    @Override
    public InetSocketAddress next() {
        return setup.next();
    }

    @Override
    public boolean pauseSource(boolean pause) {
        if (setup.transport != Transport.TCP) {
            return false;
        }
        sourcePaused = pause;
        return true;
    }

    @Override
    public boolean pauseDestination(boolean pause) {
        destinationPaused = pause && setup.transport == Transport.TCP;
        return setup.transport == Transport.TCP;
    }

    @Override
    public ServiceContext service() {
        return service;
    }

    @Override
    public long nanoTime() {
        return time.nanos();
    }

    @Override
    public boolean execute(Task task) {
        return tasks.execute(task);
    }

    @Override
    public Timer later(Duration delay, Task task) {
        return tasks.later(delay, task);
    }
}
