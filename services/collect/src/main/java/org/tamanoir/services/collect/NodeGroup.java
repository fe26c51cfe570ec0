package org.tamanoir.services.collect;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Operation;

/**
 * A {@link Group} with its streams and its connection. Streams live on several threads, so one lock keeps the group together; nothing waits under it: what is said goes to
 * the outboxes, which the threads of the streams empty.
 */
final class NodeGroup implements Neighbours {
    /**
     * Who they are. @param root null at the root itself, which has more than one address
     */
    record Key(InetSocketAddress root, String name, long epoch) {
    }

    private final Collect service;
    private final Key key;
    private final Group group;
    private final Map<Integer, BelowStream> below = new HashMap<>();
    private final UpLink up;
    private int streams;
    private long nextTick;
    private boolean over;

    /** @throws AnepException EE-309 for a group that is too large */
    NodeGroup(Collect service, Key key, Frame.Join first) {
        this.service = service;
        this.key = key;
        this.group = new Group(key.root() == null, first, service.limits(), this, service.now());
        this.up = key.root() == null ? null : new UpLink(service.context(), service.counters(), this, key.root());
    }

    Key key() {
        return key;
    }

    /**
     * Somebody joins.
     *
     * @return false if the group has come to its end meanwhile: there may be a new one
     * @throws AnepException EE-318 if he may not
     */
    synchronized boolean join(BelowStream stream, Frame.Join join) {
        if (over) {
            return false;
        }
        int id = streams++;
        below.put(id, stream);
        stream.joined(this, id);
        try {
            group.join(service.now(), id, join);
            service.counters().members.increment();
        } catch (AnepException e) {
            below.remove(id);
            settle();
            throw e;
        }
        settle();
        return true;
    }

    synchronized void receive(int id, Frame frame) {
        if (!over) {
            group.receive(service.now(), id, frame);
            settle();
        }
    }

    synchronized void receiveFromUp(Frame frame) {
        if (!over) {
            group.receiveFromUp(service.now(), frame);
            settle();
        }
    }

    synchronized void gone(int id, int code, String text) {
        if (below.remove(id) != null) {
            group.gone(service.now(), id, code, text);
            settle();
        }
    }

    synchronized void upGone(AnepException why) {
        if (!over) {
            group.upGone(why);
            settle();
        }
    }

    synchronized void full(int id, boolean full) {
        group.full(id, full);
    }

    synchronized void upWritable() {
        settle();
    }

    /** Time has passed. @return when it wants to be told again */
    synchronized long tick(long now) {
        if (!over && now >= nextTick) {
            settle();
        }
        return nextTick;
    }

    synchronized Map<String, Object> shown() {
        return group.shown();
    }

    private void settle() {
        nextTick = group.tick(service.now());
        if (up != null && !over) {
            try {
                if (up.flush()) {
                    group.full(UP, false);
                }
            } catch (AnepException e) {
                group.upGone(e);
            }
        }
        if (!over && group.isOver()) {
            over = true;
            if (up != null && !group.hasLeft()) {
                up.cut();
            }
            service.forget(this);
        }
    }

    // What the group wants.

    @Override
    public void send(int to, Frame frame) {
        if (to != UP) {
            BelowStream stream = below.get(to);
            if (stream != null) {
                stream.send(frame);
            }
        } else if (up.send(frame)) {
            group.full(UP, true);
        }
    }

    @Override
    public void end(int neighbour) {
        if (neighbour == UP) {
            up.end();
        } else if (below.containsKey(neighbour)) {
            below.get(neighbour).end();
        }
    }

    @Override
    public void drop(int branch) {
        if (below.containsKey(branch)) {
            below.get(branch).drop();
        }
    }

    @Override
    public void pause(int neighbour, boolean paused) {
        if (neighbour == UP) {
            up.pause(paused);
        } else if (below.containsKey(neighbour)) {
            below.get(neighbour).pause(paused);
        }
    }

    @Override
    public void completed(Operation operation) {
        service.counters().completed(operation);
    }

    @Override
    public void broken(int code, String text) {
        service.counters().broken.increment();
        service.context().logger().info("group {} is broken: {} {}", key.name(), ErrorCode.of(code), text);
    }
}
