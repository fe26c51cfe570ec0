package org.tamanoir.services.interest.tree;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.services.interest.filter.TopicPattern;
import org.tamanoir.interest.wire.EventView;

/** Finds the subscriptions that an event may concern. Topics that have come before are known by their octets, with the buckets that concern them. */
final class MatchIndex {
    private static final int KNOWN = 4096;
    private static final Topic[] NONE = new Topic[0];

    private final Map<String, Bucket> exact = new HashMap<>();
    private final Map<String, Bucket> prefixes = new HashMap<>();
    private Topic[] known = NONE;
    /** Which buckets there are has changed so often. */
    private int version;

    /** A topic of events. */
    static final class Topic {
        private final ByteBuf octets;
        private final int hash;
        final String text;
        private Bucket[] buckets;
        private int version = -1;

        private Topic(ByteBuf octets, int hash, String text) {
            this.octets = octets;
            this.hash = hash;
            this.text = text;
        }

        private boolean is(ByteBuf in, int index, int length) {
            return octets.readableBytes() == length && ByteBufUtil.equals(octets, 0, in, index, length);
        }
    }

    void add(Subscription subscription) {
        TopicPattern topic = subscription.filter.topic();
        Map<String, Bucket> of = topic.prefix() ? prefixes : exact;
        Bucket bucket = of.get(topic.base());
        if (bucket == null) {
            bucket = new Bucket();
            of.put(topic.base(), bucket);
            version++;
        }
        bucket.add(subscription);
    }

    void remove(Subscription subscription) {
        TopicPattern topic = subscription.filter.topic();
        Map<String, Bucket> of = topic.prefix() ? prefixes : exact;
        Bucket bucket = of.get(topic.base());
        bucket.remove(subscription);
        if (bucket.isEmpty()) {
            of.remove(topic.base());
            version++;
        }
    }

    /** The topic of an event. @throws org.tamanoir.anep.AnepException EE-109 if an event cannot have it */
    Topic topic(EventView event) {
        ByteBuf in = event.buffer();
        int hash = 0;
        int at = event.topic();
        int end = at + event.topicLength();
        for (; end - at >= Long.BYTES; at += Long.BYTES) {
            hash = 31 * hash + Long.hashCode(in.getLong(at) * 0x9E3779B97F4A7C15L);
        }
        for (; at < end; at++) {
            hash = 31 * hash + in.getByte(at);
        }
        hash ^= hash >>> 15;
        if (known.length == 0) {
            known = new Topic[KNOWN];
        }
        Topic topic = known[hash & KNOWN - 1];
        if (topic == null || topic.hash != hash || !topic.is(in, event.topic(), event.topicLength())) {
            String text = event.topicText();
            TopicPattern.checkTopic(text);
            topic = new Topic(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)), hash, text);
            known[hash & KNOWN - 1] = topic;
        }
        if (topic.version != version) {
            topic.buckets = buckets(topic.text);
            topic.version = version;
        }
        return topic;
    }

    private Bucket[] buckets(String topic) {
        List<Bucket> all = new ArrayList<>();
        add(all, exact.get(topic));
        add(all, prefixes.get(""));
        for (int slash = topic.indexOf('/'); slash >= 0; slash = topic.indexOf('/', slash + 1)) {
            // A topic may begin with a slash: its first level is empty, and no filter can name that alone.
            if (slash > 0) {
                add(all, prefixes.get(topic.substring(0, slash)));
            }
        }
        add(all, prefixes.get(topic));
        return all.toArray(Bucket[]::new);
    }

    private static void add(List<Bucket> all, Bucket bucket) {
        if (bucket != null) {
            all.add(bucket);
        }
    }

    void match(Topic topic, EventView event, Consumer<Subscription> visitor) {
        for (Bucket bucket : topic.buckets) {
            bucket.match(event, visitor);
        }
    }
}
