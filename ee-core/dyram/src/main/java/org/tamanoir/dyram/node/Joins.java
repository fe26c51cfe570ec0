package org.tamanoir.dyram.node;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.dyram.wire.Message.Join;

/** Which way receivers have asked to join, so that the answer finds back; the oldest are forgotten when there are too many. */
final class Joins {
    private static final int MOST = 4_096;

    /** A receiver: another one of its name has another instance. */
    record Who(String name, long instance) {
    }

    /** Where it came from, and which member it is; 0 if it was not accepted yet. */
    record Way(InetSocketAddress from, boolean node, boolean hearsGroup, int member) {
    }

    private final Map<Who, Way> ways = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Who, Way> eldest) {
            return size() > MOST;
        }
    };

    void add(Join join, InetSocketAddress from) {
        Who who = new Who(join.name(), join.instance());
        ways.remove(who);
        ways.put(who, new Way(from, join.viaNode(), join.hearsGroup(), 0));
    }

    void accepted(String name, long instance, int member) {
        ways.computeIfPresent(new Who(name, instance), (who, way) -> new Way(way.from(), way.node(), way.hearsGroup(), member));
    }

    /** @return null if nobody has asked so */
    Way find(String name, long instance) {
        return ways.get(new Who(name, instance));
    }
}
