package org.tamanoir.services.interest.tree;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.tamanoir.interest.wire.EventView;

/** Of each topic the latest event each so often, for one subscription: the first goes at once, and of those that follow the latest when the time is over. */
final class Decimator {
    private final long every;
    private final Waiting waiting;
    private final Map<String, Slot> topics = new HashMap<>();
    private Subscription of;

    Decimator(int everyMillis, Waiting waiting) {
        this.every = everyMillis * 1_000_000L;
        this.waiting = waiting;
    }

    void of(Subscription subscription) {
        of = subscription;
    }

    /** When the next event of a topic may go, and the latest that waits until then. */
    final class Slot implements Comparable<Slot> {
        private final String topic;
        private long due;
        /** When it is looked at; {@link #due} may be later. */
        private long queued;
        private byte[] held;

        private Slot(String topic) {
            this.topic = topic;
        }

        private void come(long now) {
            due(this, now);
        }

        private void hold(byte[] event) {
            waiting.octets += (event == null ? 0 : event.length) - (held == null ? 0 : held.length);
            held = event;
        }

        @Override
        public int compareTo(Slot other) {
            return Long.signum(queued - other.queued);
        }
    }

    /** What waits in all subscriptions of a space. */
    static final class Waiting {
        private final PriorityQueue<Slot> slots = new PriorityQueue<>();
        private long octets;

        boolean hasRoom() {
            return octets < Limits.WAITING;
        }

        /** Has everything go whose time has come. @return when something is due next, or {@code Long.MAX_VALUE} */
        long tick(long now) {
            while (!slots.isEmpty() && slots.peek().queued - now <= 0) {
                Slot slot = slots.poll();
                slot.come(now);
            }
            return due();
        }

        long due() {
            return slots.isEmpty() ? Long.MAX_VALUE : slots.peek().queued;
        }
    }

    /** Whether an event of this topic may go now. */
    boolean isDue(String topic, long now) {
        Slot slot = topics.get(topic);
        return slot == null || slot.due - now <= 0 && slot.held == null || !waiting.hasRoom();
    }

    /** The neighbour has been given an event of this topic: what waits is older. */
    void given(String topic, long now) {
        Slot slot = topics.get(topic);
        if (slot == null) {
            if (waiting.slots.size() >= Limits.TOPICS) {
                return;
            }
            slot = new Slot(topic);
            slot.queued = now + every;
            topics.put(topic, slot);
            waiting.slots.add(slot);
        }
        slot.due = now + every;
        slot.hold(null);
    }

    /** An event waits, in place of the one before. */
    void hold(String topic, EventView event) {
        topics.get(topic).hold(ByteBufUtil.getBytes(event.buffer(), event.frame(), event.frameLength()));
    }

    private void due(Slot slot, long now) {
        if (slot.due - now > 0) {
            slot.queued = slot.due;
            waiting.slots.add(slot);
        } else if (slot.held != null) {
            of.owner.sink.event(Unpooled.wrappedBuffer(slot.held), 0, slot.held.length);
            slot.hold(null);
            slot.due = now + every;
            slot.queued = slot.due;
            waiting.slots.add(slot);
        } else {
            topics.remove(slot.topic);
        }
    }

    /** The subscription is gone. */
    void close() {
        topics.values().forEach(slot -> slot.hold(null));
        waiting.slots.removeAll(topics.values());
        topics.clear();
    }
}
