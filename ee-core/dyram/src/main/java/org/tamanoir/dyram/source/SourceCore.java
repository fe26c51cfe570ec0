package org.tamanoir.dyram.source;

import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.address.AddressCookies;
import org.tamanoir.dyram.address.Addresses;
import org.tamanoir.dyram.hop.Hop;
import org.tamanoir.dyram.hop.HopCounters;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.dyram.hop.Link;
import org.tamanoir.dyram.hop.Upstream;
import org.tamanoir.dyram.source.Membership.Member;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.dyram.source.SourceStatus.State;
import org.tamanoir.dyram.wire.Core;
import org.tamanoir.dyram.wire.MemberState;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Beat;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Close;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Echo;
import org.tamanoir.dyram.wire.Message.Have;
import org.tamanoir.dyram.wire.Message.HopMessage;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Message.Leave;
import org.tamanoir.dyram.wire.Message.Listen;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Refuse;
import org.tamanoir.dyram.wire.Message.Rejoin;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.Message.Wrong;
import org.tamanoir.dyram.wire.Outlet;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * The source of a session: takes (time, message, sender), says what to send. Single-threaded. It announces until the receivers are there,
 * sends every packet once at its rate, and again what nobody nearer can repair; it is over when every receiver is complete or given up.
 */
public final class SourceCore implements Upstream, Core {
    private static final int HOPS = 16;
    private static final long MILLI = 1_000_000;
    private static final long ANNOUNCE_GATHERING = 250 * MILLI;
    private static final long ANNOUNCE = 1_000 * MILLI;
    private static final long LEAST_ANNOUNCE = 20 * MILLI;
    private static final long BEAT = 50 * MILLI;
    private static final long FAST_BEAT = 10 * MILLI;
    private static final int FAST_BEATS = 10;
    private static final long WATCH = 100 * MILLI;
    /** Links report four times a second. Where none has said anything for so long nothing is sent: nobody would get it. */
    private static final long UNHEARD = 1_000 * MILLI;
    private static final int CLOSES = 3;
    private static final long CLOSE_PAUSE = 100 * MILLI;
    private static final long LEAST_RATE_WINDOW = 5_000 * MILLI;

    private final SourceSettings settings;
    private final Outlet outlet;
    private final RandomGenerator random;
    private final SessionKey key;
    private final HopCounters counters = new HopCounters();
    private final Addresses addresses = new Addresses(new AddressCookies());
    private final Hop hop;
    private final Membership membership;
    private final Transmission transmission;
    private final SessionTerms terms;
    private State state = State.GATHERING;
    private long reports;
    private int number;
    private int beats;
    private int closes;
    private ErrorCode closing;
    private long began;
    private long nextAnnounce;
    private long announced;
    private boolean nodeAnswers;
    /** What its node has asked for; said again as long as that may have been lost. */
    private Answer toNode;
    private long nextBeat = Long.MAX_VALUE;
    private long nextWatch;
    private long nextClose = Long.MAX_VALUE;
    private long lastProgress;
    /** When a link has said something last. */
    private long heard;
    /** Whether it waits for links before it sends more. */
    private boolean waiting;

    public SourceCore(SourceSettings settings, Content content, Outlet outlet, RandomGenerator random) {
        this.settings = settings;
        this.outlet = outlet;
        this.random = random;
        this.terms = new SessionTerms(settings.group(), settings.first(), content.packets(), settings.packetSize(), settings.rate().most(),
                false, random.nextLong(), settings.services());
        this.key = SessionKey.of(settings.secret(), settings.session(), terms.salt());
        this.hop = new Hop(HopSettings.DEFAULT.elect(Election.NONE).detect(false), settings.session(), terms,
                settings.via() == null ? settings.group() : null, this, outlet, counters);
        this.membership = new Membership(settings);
        this.transmission = new Transmission(settings, terms, key, content, hop);
    }

    @Override
    public void start(long now) {
        began = now;
        nextAnnounce = now;
        nextWatch = now;
        onTimer(now);
    }

    /** Ends the session early: receivers are told. */
    public void stop(long now) {
        if (state != State.OVER && state != State.CLOSING) {
            close(now, ErrorCode.NO_SESSION);
        }
    }

    // Messages.

    @Override
    public void onMessage(long now, Message message, InetSocketAddress from) {
        nodeAnswers |= from.equals(settings.via());
        if (message instanceof Listen listen) {
            if ((listen.group() == null || listen.group().equals(settings.group())) && isThere(now, from, 0)) {
                outlet.send(announce(false), from);
            }
        } else if (message instanceof Challenge challenge) {
            challenged(now, challenge, from);
        } else if (message instanceof Answer answer) {
            if (!addresses.answered(now, answer, from)) {
                counters.refused();
            }
        } else if (message.session() != settings.session()) {
            counters.refused();
        } else if (message instanceof Join join) {
            join(now, join, from);
        } else if (message instanceof HopMessage hopMessage) {
            below(now, hopMessage, from);
        } else if (!(message instanceof Announce || message instanceof Beat || message instanceof Data)) {
            counters.refused();
        }
    }

    /** Whether somebody may be sent more than it has sent: its node, and who has shown that it is where it says. Others are asked. */
    private boolean isThere(long now, InetSocketAddress from, long session) {
        if (from.equals(settings.via()) || addresses.believes(now, from, session)) {
            return true;
        }
        counters.unanswered();
        if (addresses.mayAnswer(now, from.getAddress())) {
            outlet.send(addresses.challenge(now, from, session), from);
        }
        return false;
    }

    /** A node asks whether this source is where its announcements say; it did not take that one, so another follows. */
    private void challenged(long now, Challenge challenge, InetSocketAddress from) {
        // At the end there are no announcements that could follow: one that was due would keep it awake without end.
        boolean mine = challenge.session() == settings.session() && (settings.via() == null || from.equals(settings.via()))
                && state != State.CLOSING && state != State.OVER;
        if (!mine || !addresses.mayAnswer(now, from.getAddress())) {
            counters.refused();
            return;
        }
        Answer answer = new Answer(challenge.session(), challenge.cookie());
        outlet.send(answer, from);
        toNode = settings.via() == null ? null : answer;
        nextAnnounce = Math.min(nextAnnounce, Math.max(now, announced + LEAST_ANNOUNCE));
    }

    private void join(long now, Join join, InetSocketAddress from) {
        if (!key.verify(join)) {
            counters.refused();
            return;
        }
        if (state == State.CLOSING || state == State.OVER) {
            outlet.send(key.sign(new Close(settings.session(), closing, SessionKey.NO_TAG)), from);
            return;
        }
        if (!isThere(now, from, settings.session())) {
            return;
        }
        ErrorCode refused = membership.join(now, join, state != State.GATHERING);
        if (refused != null) {
            outlet.send(refusal(join.name(), join.instance(), refused), from);
            return;
        }
        Member member = membership.named(join.name());
        Link link = hop.accept(now, from, random.nextLong() | 1, join.viaNode(), join.hearsGroup(), member.number);
        if (link != null) {
            outlet.send(key.sign(new Accept(settings.session(), join.name(), join.instance(), member.number, link.cookie(),
                    SessionKey.NO_TAG)), from);
            lastProgress = now;
            heard = now;
        }
    }

    private Refuse refusal(String name, long instance, ErrorCode code) {
        return key.sign(new Refuse(settings.session(), name, instance, code, SessionKey.NO_TAG));
    }

    private void below(long now, HopMessage message, InetSocketAddress from) {
        // One that is not known, or that has the cookie of another time because its accept was lost, has to join again.
        Link link = hop.link(now, from, message.cookie());
        if (link == null) {
            outlet.send(state == State.CLOSING || state == State.OVER
                    ? key.sign(new Close(settings.session(), closing, SessionKey.NO_TAG)) : new Rejoin(settings.session()), from);
            return;
        }
        heard = now;
        if (message instanceof Nack nack) {
            hop.nack(now, link, nack.losses());
        } else if (message instanceof Report report) {
            reports++;
            hop.report(link, report);
            transmission.report(report);
            outlet.send(new Echo(settings.session(), link.cookie(), report.stamp(), (int) (hop.fromNeighbours() / 1_000), 0), from);
            watch(now);
        } else if (message instanceof Have have) {
            hop.have(link, have);
        } else if (message instanceof Leave leave) {
            hop.left(link, leave.member());
        } else if (message instanceof Wrong wrong && terms.contains(wrong.sequence())) {
            hop.wrong(link, terms.index(wrong.sequence()), wrong.replier());
        } else {
            counters.refused();
        }
    }

    @Override
    public void flush(long now) {
        hop.flush();
        if (state == State.SENDING || state == State.REPAIRING) {
            send(now);
        }
    }

    // Time.

    @Override
    public long deadline() {
        if (state == State.OVER) {
            return Long.MAX_VALUE;
        }
        long deadline = Math.min(Math.min(nextAnnounce, nextBeat), Math.min(nextWatch, nextClose));
        if (state == State.SENDING || state == State.REPAIRING) {
            deadline = Math.min(deadline, hop.deadline());
            if (!waiting) {
                deadline = Math.min(deadline, transmission.deadline());
            }
        }
        return deadline;
    }

    @Override
    public void onTimer(long now) {
        if (state == State.OVER) {
            return;
        }
        if (now >= nextAnnounce && state != State.CLOSING) {
            nextAnnounce = now + (state == State.GATHERING ? ANNOUNCE_GATHERING : ANNOUNCE);
            announced = now;
            number++;
            if (toNode != null && state == State.GATHERING) {
                outlet.send(toNode, settings.via());
            }
            outlet.send(announce(settings.via() == null), settings.via() == null ? settings.group() : settings.via());
        }
        if (state == State.CLOSING) {
            closing(now);
            return;
        }
        if (now >= nextWatch) {
            nextWatch = now + WATCH;
            hop.sweep(now);
            watch(now);
        }
        if (state == State.SENDING || state == State.REPAIRING) {
            hop.onTimer(now);
            // Before the packets that are due: behind a burst it would be the one that a full queue drops, and the queue would not be seen.
            if (now >= nextBeat) {
                beat(now);
            }
            send(now);
        }
        hop.flush();
    }

    private Announce announce(boolean toGroup) {
        return key.sign(new Announce(settings.session(), number, HOPS, toGroup, terms.started(state != State.GATHERING),
                SessionKey.NO_TAG));
    }

    private void beat(long now) {
        beats++;
        nextBeat = now + ((state == State.REPAIRING || transmission.isWaiting()) && beats <= FAST_BEATS ? FAST_BEAT : BEAT);
        boolean finished = state == State.REPAIRING;
        hop.toAll(key.sign(new Beat(settings.session(), beats, terms.sequence(transmission.sent()), (int) (now / 1_000), finished,
                finished ? transmission.digest() : new byte[0], SessionKey.NO_TAG)));
    }

    // Sending.

    private void send(long now) {
        waiting = hop.size() == 0 || now - heard > UNHEARD;
        boolean waited = transmission.isWaiting();
        if (transmission.send(now, waiting)) {
            state = State.REPAIRING;
            beats = 0;
            nextBeat = now;
            lastProgress = now;
        } else if (transmission.isWaiting() && !waited) {
            beats = 0;
            nextBeat = now;
        }
    }

    @Override
    public void ask(long index, int rank) {
        transmission.repair(index);
    }

    @Override
    public void repair(Data data) {
        throw new IllegalStateException("nobody asks the source's links for a repair");
    }

    @Override
    public void wrong(long index, int number) {
        Member member = membership.numbered(number);
        if (member != null) {
            member.wrong = true;
        }
    }

    @Override
    public long patience() {
        return transmission.patience();
    }

    @Override
    public boolean isHere() {
        return true;
    }

    // The receivers.

    private void watch(long now) {
        int before = membership.receiving().size();
        for (MemberState report : hop.members().all()) {
            membership.update(report, hop.members().silent(report.member()));
        }
        if (membership.receiving().size() != before) {
            // Those that were lost with the last link have been silent since then.
            lastProgress = hop.size() == 0 ? heard : now;
        }
        switch (state) {
            case GATHERING -> {
                if (transmission.isReady() && (membership.isGathered() || now - began > settings.gathering().toNanos())) {
                    begin(now);
                }
            }
            case SENDING, REPAIRING -> {
                dropTheSlow(now);
                boolean givenUp = membership.receiving().isEmpty() && now - lastProgress > settings.patience().toNanos();
                if (givenUp || state == State.REPAIRING && membership.allComplete()) {
                    close(now, null);
                }
            }
            default -> {
            }
        }
    }

    private void begin(long now) {
        if (membership.isEmpty()) {
            close(now, ErrorCode.RECEIVERS_INCOMPLETE);
            return;
        }
        state = State.SENDING;
        transmission.begin(now);
        lastProgress = now;
        heard = now;
        nextAnnounce = now;
        membership.receiving().forEach(member -> member.then = now);
        beat(now);
    }

    private void dropTheSlow(long now) {
        if (settings.rate().least() == 0) {
            return;
        }
        double octets = settings.rate().least() / 8.0 * LEAST_RATE_WINDOW / 1e9;
        for (Member member : membership.receiving()) {
            if (now - member.then < LEAST_RATE_WINDOW) {
                continue;
            }
            boolean behind = terms.packets() - member.have > octets / terms.packetSize() && transmission.sent() - member.have > 0;
            if (behind && (double) (member.have - member.haveThen) * terms.packetSize() < octets) {
                member.state = MemberStatus.State.DROPPED;
                member.error = ErrorCode.TOO_SLOW;
                hop.toAll(refusal(member.name, member.instance, ErrorCode.TOO_SLOW));
                hop.expel(member.number);
            }
            member.then = now;
            member.haveThen = member.have;
        }
    }

    // The end.

    private void close(long now, ErrorCode code) {
        state = State.CLOSING;
        closing = code;
        nextClose = now;
        nextBeat = Long.MAX_VALUE;
        transmission.end();
        closing(now);
    }

    private void closing(long now) {
        if (now < nextClose) {
            return;
        }
        hop.toAll(key.sign(new Close(settings.session(), closing, SessionKey.NO_TAG)));
        nextClose = now + CLOSE_PAUSE;
        nextAnnounce = Long.MAX_VALUE;
        nextWatch = Long.MAX_VALUE;
        if (++closes == CLOSES) {
            state = State.OVER;
        }
    }

    /** Whether anything at all has come from its node. */
    public boolean nodeAnswers() {
        return nodeAnswers;
    }

    /** How far it is, as {@link #status} says too: for who asks after every packet. */
    public State state() {
        return state;
    }

    /** How things are. */
    public SourceStatus status() {
        boolean over = state == State.CLOSING || state == State.OVER;
        return new SourceStatus(state, terms.packets(), transmission.sent() - transmission.skipped(), transmission.skipped(),
                transmission.repaired(), counters.get(Count.NACKS), reports, counters.get(Count.REFUSED),
                transmission.rate(), settings.expect(), membership.status(over));
    }
}
