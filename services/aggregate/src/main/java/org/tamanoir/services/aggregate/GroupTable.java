package org.tamanoir.services.aggregate;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** The groups of this node: at most so many; one that no stream brings readings for is forgotten after a while. Any thread. */
final class GroupTable {
    /** Makes the rounds of a new group. */
    interface Maker {
        /** @param last whether the node is the last of the path */
        Rounds make(long group, boolean last);
    }

    private final int most;
    private final long forgetNanos;
    private final Maker maker;
    private final Map<Group.Key, Group> groups = new HashMap<>();

    GroupTable(int most, long forgetNanos, Maker maker) {
        this.most = most;
        this.forgetNanos = forgetNanos;
        this.maker = maker;
    }

    /** Makes a stream a member of a group; null if there are too many groups. */
    synchronized Group join(Group.Key key, SourceStream member, long now) {
        forget(now);
        Group group = groups.get(key);
        if (group == null) {
            if (groups.size() == most) {
                return null;
            }
            group = new Group(maker.make(key.id(), member.stream().position().isLast()), now);
            groups.put(key, group);
        }
        group.join(member, now);
        return group;
    }

    private void forget(long now) {
        for (Iterator<Group> all = groups.values().iterator(); all.hasNext();) {
            Group group = all.next();
            if (group.isAbandoned(now, forgetNanos)) {
                group.clear(now);
                all.remove();
            }
        }
    }

    synchronized int size() {
        return groups.size();
    }
}
