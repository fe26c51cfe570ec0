package org.tamanoir.dyram.sim;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Heard;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Request;
import org.tamanoir.dyram.wire.Message.Wrong;

/** Everything that is said about one packet of a session, in the order in which it is sent: one row for each copy on each link. */
public final class Trace implements Simulation.Observer {
    /** What a row is about. */
    public enum Step { DATA, REPAIR, NACK, REQUEST, HEARD, WRONG }

    /**
     * One message on one link.
     *
     * @param at   when it was sent, in nanoseconds from the first row
     * @param from who sent it
     * @param to   who was to get it; of a packet to a group there is a row for each that hears the group
     * @param step what it is
     * @param by   number of the member that repairs; 0 if it is the source or nobody
     * @param rank how often the packet was asked for before; 0 for what asks nothing
     * @param lost whether it was lost on its way
     */
    public record Row(long at, String from, String to, Step step, int by, int rank, boolean lost) {
    }

    private static final String LINE = "%9.3f  %-10s  %-10s  %-8s%s%n";
    private static final double MILLI = 1e6;

    private final long sequence;
    private final Function<InetSocketAddress, String> names;
    private final List<Row> rows = new ArrayList<>();
    private long began;

    /** @param names what a place is called in the rows */
    public Trace(long sequence, Function<InetSocketAddress, String> names) {
        this.sequence = sequence;
        this.names = names;
    }

    @Override
    public void sent(long now, InetSocketAddress from, InetSocketAddress to, Message message, long arrives) {
        if (message instanceof Data data && data.sequence() == sequence) {
            add(now, from, to, data.repair() ? Step.REPAIR : Step.DATA, data.replier(), 0, arrives);
        } else if (message instanceof Nack nack) {
            asked(now, from, to, Step.NACK, nack.losses(), arrives);
        } else if (message instanceof Request request) {
            asked(now, from, to, Step.REQUEST, request.losses(), arrives);
        } else if (message instanceof Heard heard) {
            asked(now, from, to, Step.HEARD, heard.losses(), arrives);
        } else if (message instanceof Wrong wrong && wrong.sequence() == sequence) {
            add(now, from, to, Step.WRONG, wrong.replier(), 0, arrives);
        }
    }

    private void asked(long now, InetSocketAddress from, InetSocketAddress to, Step step, Losses losses, long arrives) {
        for (Losses.Range range : losses.ranges()) {
            if (sequence - range.first() >= 0 && sequence - range.first() < range.count()) {
                add(now, from, to, step, 0, range.rank(), arrives);
            }
        }
    }

    private void add(long now, InetSocketAddress from, InetSocketAddress to, Step step, int by, int rank, long arrives) {
        if (rows.isEmpty()) {
            began = now;
        }
        rows.add(new Row(now - began, names.apply(from), names.apply(to), step, by, rank, arrives < 0));
    }

    /** All rows. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** The rows of one kind. */
    public List<Row> rows(Step step) {
        return rows.stream().filter(row -> row.step() == step).toList();
    }

    /** A table for a person: milliseconds from the first row, who, to whom, what. */
    public String text() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "       ms  %-10s  %-10s  packet %d%n", "from", "to", sequence));
        for (Row row : rows) {
            text.append(String.format(Locale.ROOT, LINE, row.at() / MILLI, row.from(), row.to(), row.step().name().toLowerCase(Locale.ROOT),
                    row.lost() ? "  lost" : ""));
        }
        return text.toString();
    }
}
