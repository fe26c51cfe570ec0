package org.tamanoir.dyram.source;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.MemberReports;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus.State;
import org.tamanoir.dyram.wire.MemberState;
import org.tamanoir.dyram.wire.Message.Join;

/** Who takes part: names, numbers, and how each is. */
final class Membership {
    /** One receiver. */
    static final class Member {
        final String name;
        int number;
        long instance;
        State state = State.EXPECTED;
        long have;
        ErrorCode error;
        boolean wrong;
        /** The next place on the way to it, if that was silent when it was lost. */
        InetSocketAddress silent;
        /** For the least rate: what it had, and when. */
        long haveThen;
        long then;

        Member(String name) {
            this.name = name;
        }
    }

    private final SourceSettings settings;
    private final Map<String, Member> byName = new LinkedHashMap<>();
    private final List<Member> byNumber = new ArrayList<>();

    Membership(SourceSettings settings) {
        this.settings = settings;
        settings.members().forEach(name -> byName.put(name, new Member(name)));
    }

    /**
     * A receiver wants to take part.
     *
     * @param started whether packets have been sent
     * @return the reason to refuse it; null if it takes part
     */
    ErrorCode join(long now, Join join, boolean started) {
        Member member = byName.get(join.name());
        if (member == null) {
            if (!settings.members().isEmpty() || byNumber.size() >= Math.min(settings.expect(), MemberReports.MOST)) {
                return ErrorCode.NOT_EXPECTED;
            }
        } else if (member.number > 0) {
            return again(now, member, join);
        }
        if (started && settings.late() == Late.REFUSE) {
            return ErrorCode.TOO_LATE;
        }
        if (member == null) {
            member = new Member(join.name());
            byName.put(join.name(), member);
        }
        byNumber.add(member);
        member.number = byNumber.size();
        member.instance = join.instance();
        member.state = State.RECEIVING;
        member.then = now;
        return null;
    }

    private ErrorCode again(long now, Member member, Join join) {
        if (member.state == State.DROPPED) {
            return ErrorCode.TOO_SLOW;
        }
        boolean gone = member.state == State.LOST || member.state == State.LEFT || member.state == State.FAILED;
        if (member.instance != join.instance() && !gone) {
            return ErrorCode.NAME_TAKEN;
        }
        member.instance = join.instance();
        if (gone) {
            member.state = State.RECEIVING;
            member.error = null;
            member.silent = null;
            member.then = now;
            member.haveThen = 0;
        }
        return null;
    }

    Member named(String name) {
        return byName.get(name);
    }

    /** @return null if there is none */
    Member numbered(int number) {
        return number >= 1 && number <= byNumber.size() ? byNumber.get(number - 1) : null;
    }

    /** What a report says of a receiver. @param silent the next place on the way to it that was given up with it; null for none */
    void update(MemberState report, InetSocketAddress silent) {
        Member member = numbered(report.member());
        if (member == null || member.state == State.DROPPED || member.state == State.COMPLETE) {
            return;
        }
        member.have = report.have();
        member.silent = report.phase() == MemberState.Phase.LOST ? silent : null;
        switch (report.phase()) {
            case RECEIVING -> set(member, State.RECEIVING, null);
            case COMPLETE -> set(member, State.COMPLETE, null);
            case DIFFERS -> set(member, State.FAILED, ErrorCode.NOT_IDENTICAL);
            case STORAGE -> set(member, State.FAILED, ErrorCode.STORAGE);
            case LEFT -> set(member, State.LEFT, ErrorCode.RECEIVER_LOST);
            case LOST -> set(member, State.LOST, ErrorCode.RECEIVER_LOST);
        }
    }

    private static void set(Member member, State state, ErrorCode error) {
        member.state = state;
        member.error = error;
    }

    /** Those that have joined and from whom something is still to come. */
    List<Member> receiving() {
        return byNumber.stream().filter(member -> member.state == State.RECEIVING).toList();
    }

    /** Whether all that are expected have joined. */
    boolean isGathered() {
        return byNumber.size() >= settings.expect();
    }

    boolean isEmpty() {
        return byNumber.isEmpty();
    }

    boolean allComplete() {
        return byNumber.size() >= settings.expect() && byNumber.stream().allMatch(member -> member.state == State.COMPLETE);
    }

    /** @param over whether those that never came will not come any more */
    List<MemberStatus> status(boolean over) {
        return byName.values().stream().map(member -> new MemberStatus(member.name, member.state, member.have,
                over && member.state == State.EXPECTED ? ErrorCode.RECEIVERS_INCOMPLETE : member.error, member.wrong, member.silent)).toList();
    }
}
