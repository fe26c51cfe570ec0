package org.tamanoir.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;

/** The receivers of a session, a line each, and a line of all. */
final class MemberTable {
    /** Lines that fit an ordinary terminal; of more receivers those are shown that have least. */
    private static final int MOST_ROWS = 20;
    private static final int BAR = 24;

    private MemberTable() {
    }

    static List<String> lines(SourceStatus status) {
        List<MemberStatus> shown = status.members();
        if (shown.size() > MOST_ROWS) {
            shown = shown.stream().sorted(Comparator.comparingLong(MemberStatus::have)).limit(MOST_ROWS).toList();
        }
        Table table = new Table("RECEIVER", "STATE", "%", "", "ERROR");
        for (MemberStatus member : shown) {
            int percent = percent(member, status.packets());
            table.row(member.name(), word(member), percent, bar(percent), member.error() == null ? "" : member.error());
        }
        StringWriter text = new StringWriter();
        table.print(new PrintWriter(text, true));
        List<String> lines = new ArrayList<>(text.toString().lines().toList());
        if (shown.size() < status.members().size()) {
            lines.add("… and " + (status.members().size() - shown.size()) + " more that have more");
        }
        lines.add(total(status));
        return lines;
    }

    /** Packets that a receiver has, in percent; 100 only for all. */
    static int percent(MemberStatus member, long packets) {
        return (int) (member.have() * 100 / packets);
    }

    /** What it is doing, as in {@code receiving}; blamed ones are marked. */
    static String word(MemberStatus member) {
        return member.state().name().toLowerCase(Locale.ROOT) + (member.wrong() ? ", sent wrong repairs" : "");
    }

    /** A line for each receiver that has sent wrong repairs. */
    static List<String> blamed(SourceStatus status) {
        return status.members().stream().filter(MemberStatus::wrong)
                .map(member -> ErrorCode.WRONG_REPAIRS + " '" + member.name() + "' sent wrong repairs, and was asked for no more").toList();
    }

    private static String bar(int percent) {
        int full = percent * BAR / 100;
        return "[" + "=".repeat(full) + " ".repeat(BAR - full) + "]";
    }

    private static String total(SourceStatus status) {
        long complete = status.members().stream().filter(MemberStatus::isComplete).count();
        return String.format(Locale.ROOT, "%s: %d of %d receivers complete; %s, %d of %d packets sent%s, %d repairs (%.2f %%), %d NACKs",
                status.state().name().toLowerCase(Locale.ROOT), complete, Math.max(status.expect(), status.members().size()),
                Units.bitRate(status.rate()), status.sent(), status.packets(), skipped(status), status.repairs(), repairPercent(status), status.nacks());
    }

    /** What every receiver had already; nothing if that is nothing. */
    static String skipped(SourceStatus status) {
        return status.skipped() == 0 ? "" : ", " + status.skipped() + " not needed";
    }

    /** Packets that were sent again, in percent of those that were sent for the first time. */
    static double repairPercent(SourceStatus status) {
        return status.sent() == 0 ? 0 : 100.0 * status.repairs() / status.sent();
    }
}
