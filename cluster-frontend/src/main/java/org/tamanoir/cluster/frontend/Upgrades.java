package org.tamanoir.cluster.frontend;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.member.Member;
import org.tamanoir.cluster.member.Timing;
import org.tamanoir.cluster.upgrade.Progress;
import org.tamanoir.cluster.upgrade.Progress.Row;
import org.tamanoir.cluster.upgrade.Progress.State;
import org.tamanoir.cluster.upgrade.RollingUpgrade;
import org.tamanoir.cluster.upgrade.UpgradeRequest;
import org.tamanoir.membership.Welcome.Order;

/** The rolling upgrade that runs or was the last, and how often they ended how. For one thread at a time; {@link #ended} for all. */
final class Upgrades {
    private static final Logger LOG = LoggerFactory.getLogger(Upgrades.class);

    private final SecureRandom random = new SecureRandom();
    private final Map<State, LongAdder> ended = new EnumMap<>(State.class);
    private RollingUpgrade upgrade;
    private Progress last;

    Upgrades() {
        for (State state : State.values()) {
            if (state.isEnd()) {
                ended.put(state, new LongAdder());
            }
        }
    }

    /**
     * Begins one.
     *
     * @throws AnepException EE-407 if nobody runs the service, EE-410 while another one runs
     */
    Progress start(UpgradeRequest request, Collection<Member> members, Timing timing, long now) {
        if (last != null && !last.state().isEnd()) {
            throw new AnepException(ErrorCode.BUSY, "an upgrade is under way, and there is one at a time: " + last.line());
        }
        upgrade = made(request, members, timing, now);
        LOG.info("rolling upgrade of {} begins", request);
        last = upgrade.progress();
        return last;
    }

    /** What one would do. @throws AnepException EE-407 if nobody runs the service */
    Progress plan(UpgradeRequest request, Collection<Member> members, Timing timing, long now) {
        return made(request, members, timing, now).plan(now);
    }

    private RollingUpgrade made(UpgradeRequest request, Collection<Member> members, Timing timing, long now) {
        return new RollingUpgrade(request, members, timing.period(), timing.lease(), () -> String.format("%016x", random.nextLong()), now);
    }

    void tick(long now, Collection<Member> members) {
        if (last == null || last.state().isEnd()) {
            return;
        }
        upgrade.tick(now, members);
        Progress before = last;
        last = upgrade.progress();
        for (Row row : last.backEnds()) {
            if (before.backEnds().stream().noneMatch(each -> each.name().equals(row.name()) && each.state() == row.state())) {
                LOG.info("{}: {} is {}{}", last.service(), row.name(), row.state(), row.why() == null ? "" : ": " + row.why());
            }
        }
        if (last.state().isEnd()) {
            ended.get(last.state()).increment();
            LOG.info("rolling upgrade of {}", last.line());
        }
    }

    /** What a back end is to be told; null for nothing. */
    Order order(Member member) {
        return last == null || last.state().isEnd() ? null : upgrade.order(member);
    }

    /** @throws AnepException EE-407 if there was none */
    Progress stop() {
        Progress now = progress();
        if (!now.state().isEnd()) {
            upgrade.stop();
            last = upgrade.progress();
        }
        return last;
    }

    /** How far the one is that runs or was the last. @throws AnepException EE-407 if there was none */
    Progress progress() {
        if (last == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "nothing has been upgraded since this front-end started");
        }
        return last;
    }

    /** The same; null if there was none. */
    Progress last() {
        return last;
    }

    /** How many have ended, by how. */
    Map<State, LongAdder> ended() {
        return ended;
    }
}
