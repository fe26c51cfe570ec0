package org.tamanoir.node.probe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.tamanoir.kernel.DatagramBatch;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Train;

/** A train under way: what was sent when, and what has come back. */
final class RunningTrain {
    /** Wall clock and steady clock run side by side but for the moments in which somebody sets the former; that much is noise. */
    static final long NOISE = 100_000L;

    private final Train train;
    private final Consumer<Answers> done;
    private final int session;
    private final int first;
    private final long[] stamps;
    private final long[] offsets;
    private final Answers.Answer[] answers;
    private long network;
    private long host;
    private int next;
    private int sent;
    private int back;
    private long begun;
    private long due;

    /**
     * A train of which nothing is sent yet.
     *
     * @param session 16 bits that nobody guesses
     * @param first   number of its first probe; the others follow
     * @param now     of the steady clock
     */
    RunningTrain(Train train, Consumer<Answers> done, int session, int first, long now) {
        this.train = train;
        this.done = done;
        this.session = session;
        this.first = first;
        this.stamps = new long[train.packets()];
        this.offsets = new long[train.packets()];
        this.answers = new Answers.Answer[train.packets()];
        this.begun = now;
        this.due = now;
    }

    int first() {
        return first;
    }

    /** When there is something to do: the next probe, or the end of the patience. */
    long due() {
        return due;
    }

    boolean allSent() {
        return next == train.packets();
    }

    /** Everything that was sent is back, and nothing is left to send. */
    boolean complete() {
        return allSent() && back == sent;
    }

    /** Puts the next probe into a place of a batch. @return its number in the train */
    int write(DatagramBatch batch, int i, int errorEstimate, byte[] padding) {
        int length = train.octets() - Stamp.HEADERS;
        batch.address(i, train.to(), length, train.dscp() << 2);
        Stamp.writeProbe(batch.octets(), batch.at(i), length, first + next, errorEstimate, session, train.dscp(), padding);
        network = batch.network(i);
        host = batch.host(i);
        return next++;
    }

    /** Goes on to what is due next. */
    void advance(long now) {
        due = allSent() ? now + train.patience().toNanos() : begun + next * train.gap().toNanos();
    }

    /**
     * Notes what has become of a probe.
     *
     * @param taken  whether the kernel took it
     * @param stamp  the time in it
     * @param offset of the wall clock before the steady one, nanoseconds
     */
    void sent(int number, boolean taken, long stamp, long offset) {
        if (taken) {
            stamps[number] = stamp;
            offsets[number] = offset;
            sent++;
        }
    }

    /** Takes a datagram as an answer, if it is one of a probe of this train and the first. @param offset as in {@link #sent} */
    boolean take(DatagramBatch batch, int i, long offset) {
        int at = batch.at(i);
        int number = batch.octets().getInt(at + Stamp.SENDER_NUMBER) - first;
        int reflectedSession = batch.octets().getShort(at + Stamp.SESSION) & 0xFFFF;
        long stamp = batch.octets().getLong(at + Stamp.SENDER_TIME);
        // Reflectors of RFC 8762 alone know no session: zeros.
        if (number < 0 || number >= next || answers[number] != null || stamps[number] == 0 || stamps[number] != stamp
                || reflectedSession != session && reflectedSession != 0 || batch.port(i) != train.to().getPort()
                || batch.network(i) != network || batch.host(i) != host) {
            return false;
        }
        answers[number] = read(batch, i, number, offset);
        back++;
        return true;
    }

    private Answers.Answer read(DatagramBatch batch, int i, int number, long offset) {
        int at = batch.at(i);
        int own = batch.octets().getShort(at + Stamp.SENDER_ERROR) & 0xFFFF;
        int theirs = batch.octets().getShort(at + Stamp.ERROR) & 0xFFFF;
        boolean ptp = ErrorEstimate.ptp(theirs);
        int ttl = batch.octets().get(at + Stamp.SENDER_TTL) & 0xFF;
        // Whoever has set this host's clock meanwhile has not made the way longer or shorter.
        long step = offset - offsets[number];
        long here = batch.time(i) - (Math.abs(step) > NOISE ? step : 0);
        return new Answers.Answer(number, StampTime.ofNtp(stamps[number]), StampTime.of(batch.octets().getLong(at + Stamp.RECEIVED), ptp),
                StampTime.of(batch.octets().getLong(at + Stamp.TIME), ptp), here,
                ErrorEstimate.synchronised(own) && ErrorEstimate.synchronised(theirs), ErrorEstimate.nanos(own) + ErrorEstimate.nanos(theirs),
                Stamp.arrivedDscp(batch.octets(), at, batch.length(i)), ttl == Stamp.TTL_UNKNOWN ? -1 : ttl);
    }

    /** Tells the one who has sent it. */
    void finish() {
        List<Answers.Answer> came = new ArrayList<>(back);
        Arrays.stream(answers).filter(Objects::nonNull).forEach(came::add);
        done.accept(new Answers(train, sent, came));
    }
}
