package org.tamanoir.dyram.receiver;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.receiver.ReceiverStatus.State;
import org.tamanoir.dyram.wire.Core;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.MemberState;
import org.tamanoir.dyram.wire.MemberState.Phase;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Beat;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Close;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Echo;
import org.tamanoir.dyram.wire.Message.Heard;
import org.tamanoir.dyram.wire.Message.HopMessage;
import org.tamanoir.dyram.wire.Message.Leave;
import org.tamanoir.dyram.wire.Message.Listen;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Refuse;
import org.tamanoir.dyram.wire.Message.Rejoin;
import org.tamanoir.dyram.wire.Message.Request;
import org.tamanoir.dyram.wire.Message.Wrong;
import org.tamanoir.dyram.wire.Outlet;
import org.tamanoir.dyram.wire.SessionKey;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * A receiver: takes (time, message, sender), says what to send. Single-threaded. It believes packets and what comes from the source by
 * their tags, and its next hop by the cookie.
 */
public final class ReceiverCore implements Core {
    private static final long MILLI = 1_000_000;
    private static final long LISTEN = 500 * MILLI;
    private static final long JOIN = 250 * MILLI;
    /** When nothing has come of the source for so long, another session of the group may take its place. */
    private static final long SILENT = 3_000 * MILLI;
    /** For so long its node is told why it gives up. */
    private static final long FAREWELL = 600 * MILLI;

    private final ReceiverSettings settings;
    private final Store store;
    private final Outlet outlet;
    private final Reception reception;
    private final Reports reports;
    private final LossRequests requests;
    private final RepairsForOthers repairs;
    private final HaveNotices haves = new HaveNotices();

    private State state = State.LISTENING;
    private Phase phase = Phase.RECEIVING;
    private AnepException error;
    private Announce announce;
    private SessionTerms terms;
    private SessionKey key;
    private InetSocketAddress parent;
    private boolean hearsGroup;
    private int member;
    private long cookie;
    private byte[] digest;
    /** The session has ended while everything that came was being compared. */
    private boolean ended;
    private boolean superseded;
    private final Handshake handshake;
    private final NextHopWatch nextHop = new NextHopWatch();
    /** When the source was heard last, whoever handed it on. What the next hop says itself is no sign of the source. */
    private long lastHeard;
    private long nextTalk;
    private long overAt = Long.MAX_VALUE;
    private long duplicate;
    private long wrong;
    private long refused;

    /** @param random for waiting times that must not agree with those of others */
    public ReceiverCore(ReceiverSettings settings, Store store, Outlet outlet, RandomGenerator random) {
        this.settings = settings;
        this.store = store;
        this.outlet = outlet;
        this.reception = new Reception(settings, store);
        this.handshake = new Handshake(settings, outlet);
        this.reports = new Reports(random);
        this.requests = new LossRequests(reception, reports.way());
        this.repairs = new RepairsForOthers(store, reception, requests);
    }

    @Override
    public void start(long now) {
        lastHeard = now;
        nextTalk = now;
        onTimer(now);
    }

    // Messages.

    @Override
    public void onMessage(long now, Message message, InetSocketAddress from) {
        if (state.isOver()) {
            return;
        }
        if (from.equals(settings.via()) || from.equals(parent)) {
            nextHop.heard(now, from.equals(settings.via()));
        }
        if (message instanceof Announce heard) {
            announced(now, heard, from);
        } else if (message instanceof Challenge challenge) {
            challenged(now, challenge, from);
        } else if (terms == null || message.session() != announce.session()) {
            refused++;
        } else if (message instanceof Data data) {
            data(now, data);
        } else if (message instanceof Message.Tagged tagged) {
            if (key.verify(tagged)) {
                lastHeard = now;
                tagged(now, tagged);
            } else {
                refused++;
            }
        } else if (!from.equals(parent)) {
            refused++;
        } else if (message instanceof Rejoin) {
            if (state != State.JOINING) {
                join();
            }
        } else if (message instanceof HopMessage hop && hop.cookie() == cookie && member != 0) {
            fromNextHop(now, hop);
        } else {
            refused++;
        }
    }

    private void announced(long now, Announce heard, InetSocketAddress from) {
        if (!heard.terms().group().equals(settings.group())) {
            refused++;
            return;
        }
        if (terms != null) {
            again(now, heard, from);
            return;
        }
        SessionKey candidate = SessionKey.of(settings.secret(), heard.session(), heard.terms().salt());
        if (!candidate.verify(heard)) {
            refused++;
            error = new AnepException(ErrorCode.NOT_AUTHENTIC, "a session on this group has another secret");
            return;
        }
        key = candidate;
        announce = heard;
        terms = heard.terms();
        parent = settings.via() == null ? from : settings.via();
        hearsGroup = heard.toGroup();
        error = null;
        try {
            reception.open(heard.session(), terms);
        } catch (AnepException e) {
            over(e);
            return;
        }
        state = State.JOINING;
        lastHeard = now;
        handshake.begin(now);
        join();
        nextTalk = now + JOIN;
    }

    /** Our session once more, or another one. */
    private void again(long now, Announce heard, InetSocketAddress from) {
        if (heard.session() != announce.session() && isSilent(now)
                && SessionKey.of(settings.secret(), heard.session(), heard.terms().salt()).verify(heard)) {
            superseded = true;
            ended(new AnepException(ErrorCode.SOURCE_LOST, "its source is silent, and another session is announced"));
            return;
        }
        if (heard.session() != announce.session() || !key.verify(heard)) {
            refused++;
            return;
        }
        // A node says again what it has heard last, also of a source that is gone.
        if (heard.number() - announce.number() > 0) {
            lastHeard = now;
            announce = heard;
        }
        if (from.equals(parent)) {
            handshake.announced();
        }
        if (heard.toGroup() && !hearsGroup) {
            hearsGroup = true;
            join();
        }
    }

    /** The next place asks whether this receiver is where it says: it is if it has just said something, which it says again. */
    private void challenged(long now, Challenge challenge, InetSocketAddress from) {
        boolean listens = (state == State.LISTENING || isSilent(now)) && challenge.session() == 0 && from.equals(settings.via());
        boolean joins = terms != null && challenge.session() == announce.session() && from.equals(parent);
        if (!listens && !joins || !handshake.answer(now, challenge, from)) {
            refused++;
        } else if (listens) {
            outlet.send(new Listen(settings.group()), from);
        } else if (handshake.asks()) {
            handshake.again();
            join();
        }
    }

    private void join() {
        handshake.ask(announce.session(), key, settings.via() != null || member != 0, hearsGroup, parent);
    }

    private void tagged(long now, Message.Tagged message) {
        if (message instanceof Beat beat) {
            beat(now, beat);
        } else if (message instanceof Accept accept && handshake.isMine(accept.name(), accept.instance())) {
            accepted(now, accept);
        } else if (message instanceof Refuse refuse && handshake.isMine(refuse.name(), refuse.instance())) {
            over(new AnepException(refuse.code(), "the source does not take '" + settings.name() + "'"));
        } else if (message instanceof Close close) {
            closed(close);
        }
    }

    private void accepted(long now, Accept accept) {
        handshake.accepted();
        member = accept.member();
        cookie = accept.cookie();
        if (state == State.JOINING) {
            state = State.RECEIVING;
            reception.interval().begin(now);
            finish(now);
        }
        reports.begin();
        nextTalk = now;
        haves.again(now);
    }

    private void beat(long now, Beat beat) {
        long index = terms.index(beat.next());
        if (index < 0 || index > terms.packets()) {
            refused++;
            return;
        }
        reports.beat(now, beat);
        reception.sent(now, index);
        if (beat.finished() && digest == null) {
            digest = beat.digest();
            finish(now);
        }
    }

    private void closed(Close close) {
        ended(new AnepException(close.code() == null ? ErrorCode.NO_SESSION : close.code(),
                "the source has ended the session; " + reception.count() + " of " + terms.packets() + " packets are here"));
    }

    /** There is no session any more. @param why if something is missing */
    private void ended(AnepException why) {
        if (state == State.COMPLETE) {
            state = State.DONE;
        } else if (state == State.CHECKING) {
            ended = true;
        } else {
            over(why);
        }
    }

    private void over(AnepException why) {
        state = State.FAILED;
        error = why;
        reception.giveUp();
    }

    // Packets.

    private void data(long now, Data data) {
        if (!terms.contains(data.sequence())) {
            refused++;
            return;
        }
        long index = terms.index(data.sequence());
        boolean isNew = !reception.have().contains(index);
        if (isNew && !key.verify(data)) {
            wrong++;
            if (data.repair() && data.replier() != 0 && member != 0) {
                outlet.send(new Wrong(announce.session(), cookie, data.sequence(), data.replier()), parent);
            }
            return;
        }
        if (isNew || !data.repair()) {
            lastHeard = now;
        }
        if (!isNew) {
            duplicate++;
            return;
        }
        if (phase == Phase.STORAGE) {
            return;
        }
        try {
            reception.put(now, index, data);
        } catch (AnepException e) {
            fail(now, Phase.STORAGE, e);
            return;
        }
        finish(now);
    }

    /**
     * Packets of the session are looked for here, or it is known which are here: the next hop is told.
     *
     * @param looking whether more may be found
     */
    public void looking(long now, long session, boolean looking) {
        if (terms != null && announce.session() == session && !state.isOver() && phase == Phase.RECEIVING) {
            haves.looking(now, looking);
        }
    }

    /** A packet of this session was found here, with its tag. @param body lent during the call */
    public void found(long now, long session, long index, ByteBuf body) {
        if (terms == null || announce.session() != session || state.isOver() || phase != Phase.RECEIVING || state == State.CHECKING) {
            return;
        }
        try {
            if (reception.find(index, body)) {
                haves.found(now);
            }
        } catch (AnepException e) {
            fail(now, Phase.STORAGE, e);
            return;
        }
        finish(now);
    }

    private void finish(long now) {
        if (state == State.RECEIVING && phase == Phase.RECEIVING && digest != null && reception.have().isComplete()) {
            state = State.CHECKING;
            store.check(digest);
        }
    }

    /** The answer of {@link Store#check}. @param failure why not; null if everything is as it was sent */
    public void checked(long now, AnepException failure) {
        if (state != State.CHECKING) {
            return;
        }
        if (failure != null) {
            fail(now, failure.code() == ErrorCode.NOT_IDENTICAL ? Phase.DIFFERS : Phase.STORAGE, failure);
        } else {
            state = ended ? State.DONE : State.COMPLETE;
            phase = Phase.COMPLETE;
            nextTalk = now;
        }
    }

    private void fail(long now, Phase why, AnepException failure) {
        phase = why;
        error = failure;
        reception.giveUp();
        haves.end();
        nextTalk = now;
        overAt = now + FAREWELL;
    }

    // The next hop.

    private void fromNextHop(long now, HopMessage message) {
        if (message instanceof Request request) {
            request.losses().ranges().forEach(range -> repair(now, range));
        } else if (message instanceof Heard heard) {
            // No reason to ask again, and no need to wait for a gap to show.
            refused += reception.postpone(now, heard.losses(), now + heard.within() * 1_000L + LossRequests.MARGIN);
        } else if (message instanceof Echo echo) {
            reports.echoed(now, echo);
        } else {
            refused++;
        }
    }

    private void repair(long now, Losses.Range range) {
        if (!terms.contains(range)) {
            refused++;
            return;
        }
        try {
            repairs.requested(now, terms, range, phase != Phase.DIFFERS && phase != Phase.STORAGE, (index, body) ->
                    outlet.send(new Data(announce.session(), terms.sequence(index), true, member, cookie, body, null), parent));
        } catch (AnepException e) {
            // What was checked stays good; somebody else repairs.
            if (phase == Phase.RECEIVING) {
                fail(now, Phase.STORAGE, e);
            }
        }
    }

    @Override
    public void flush(long now) {
        for (Losses asked : requests.take()) {
            outlet.send(new Nack(announce.session(), cookie, asked), parent);
        }
    }

    // Time.

    @Override
    public long deadline() {
        return state.isOver() ? Long.MAX_VALUE : Math.min(Math.min(nextTalk, overAt),
                member == 0 ? Long.MAX_VALUE : Math.min(haves.deadline(), requests.deadline()));
    }

    @Override
    public void onTimer(long now) {
        if (state.isOver()) {
            return;
        }
        if (now >= overAt) {
            state = State.FAILED;
            return;
        }
        if (terms != null && !ended && now - lastHeard > settings.patience().toNanos()) {
            ended(nextHop.lost(now, settings.patience(), parent));
            return;
        }
        if (now >= nextTalk) {
            talk(now);
        }
        if (member != 0) {
            haves.due(now, announce.session(), cookie, terms, reception).forEach(have -> outlet.send(have, parent));
        }
        if (member != 0 && requests.due(now, terms)) {
            flush(now);
        }
    }

    private boolean isSilent(long now) {
        return terms != null && now - lastHeard > SILENT;
    }

    private void talk(long now) {
        if (isSilent(now) && settings.via() != null) {
            outlet.send(new Listen(settings.group()), settings.via());
        }
        switch (state) {
            case LISTENING -> {
                if (settings.via() != null) {
                    handshake.sayAgain(settings.via());
                    outlet.send(new Listen(settings.group()), settings.via());
                }
                nextTalk = now + LISTEN;
            }
            case JOINING -> {
                handshake.sayAgain(parent);
                join();
                nextTalk = now + JOIN;
            }
            default -> report(now);
        }
    }

    private void report(long now) {
        outlet.send(reports.next(now, announce.session(), cookie, terms, reception, new MemberState(member, phase, reception.count())), parent);
        nextTalk = now + reports.pause();
    }

    /** Says good-bye: the source knows that nothing more comes of it. */
    public void leave(long now) {
        if (!state.isOver()) {
            if (member != 0) {
                outlet.send(new Leave(announce.session(), cookie, member), parent);
            }
            over(new AnepException(ErrorCode.RECEIVER_LOST, "it was told to leave"));
        }
    }

    /** How things are. */
    public ReceiverStatus status() {
        return new ReceiverStatus(state, announce == null ? 0 : announce.session(), terms == null ? 0 : terms.packets(),
                reception.count(), reception.found(), reception.lost(), reception.repaired(), duplicate, wrong, repairs.sent(), refused, error);
    }

    /** Whether another session of the group has taken the place of this one, whose source is silent. */
    public boolean isSuperseded() {
        return superseded;
    }

    /** Whether anything at all has come from its node. */
    public boolean nodeAnswers() {
        return nextHop.nodeAnswers();
    }

    /** Packets that it is asking for: 0 when it is quiet. */
    public int missing() {
        return reception.missing().size();
    }
}
