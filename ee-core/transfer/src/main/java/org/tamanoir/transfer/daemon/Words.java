package org.tamanoir.transfer.daemon;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.transfer.daemon.TransferDaemon.View;
import org.tamanoir.transfer.queue.Admission;
import org.tamanoir.transfer.queue.Forecast;
import org.tamanoir.transfer.queue.Hold;
import org.tamanoir.transfer.queue.LinkHistory;
import org.tamanoir.transfer.queue.Transfer;
import org.tamanoir.transfer.queue.TransferRequest;

/** Why a transfer is where it is, for people. Times are those of this machine's zone. */
final class Words {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());
    private static final int MOST_NAMED = 5;

    private Words() {
    }

    private static String time(long millis) {
        return TIME.format(Instant.ofEpochMilli(millis));
    }

    /** Why the time that a transfer asks for is not promised. */
    static String refusal(Transfer transfer, Admission.Verdict verdict) {
        Forecast.Answer forecast = verdict.forecast();
        String own = forecast == null ? "" : "cannot be met: " + asked(transfer.request()) + ", and " + expected(forecast, transfer);
        String others = verdict.harmed().isEmpty() ? "" : "cannot be met without harm: " + names(verdict.harmed()) + " would miss the time that was promised";
        return (forecast == null || forecast.probability() >= Forecast.SURE ? others : own) + "; ask for less, or say --anyway";
    }

    /** What a forecast says, with its figures. */
    static String expected(Forecast.Answer forecast, Transfer transfer) {
        LinkHistory link = forecast.link();
        return String.format(Locale.ROOT, "it is expected to be complete about %s, before %s in 95 of 100 cases; in time in %.0f of 100. That is from %s at %s ± %.0f %%, which %d transfer%s from %s to %s "
                + "%s measured, and %d transfer%s before it", time(forecast.ends()), time(forecast.endsSurely()), 100 * forecast.probability(), size(transfer.octets()), rate(link.rate()),
                100 * link.error(), link.count(), link.count() == 1 ? "" : "s", transfer.from(), transfer.to(), link.count() == 1 ? "has" : "have", forecast.before(), forecast.before() == 1 ? "" : "s");
    }

    private static String asked(TransferRequest request) {
        String by = request.by() == 0 ? "" : "it is to be there by " + time(request.by());
        String rate = request.rate() == 0 ? "" : "it is to have " + rate(request.rate()) + " at least";
        return by + (by.isEmpty() || rate.isEmpty() ? "" : ", and ") + rate;
    }

    /** Sentences, the most important first. */
    static List<String> why(View view) {
        Transfer one = view.transfer();
        List<String> said = new ArrayList<>();
        switch (one.state()) {
            case DONE -> said.add("It is complete since " + time(one.since()) + ": " + one.report().files() + " files were copied, " + one.report().present() + " were there already.");
            case CANCELLED -> said.add("It was cancelled at " + time(one.since()) + ".");
            case FAILED -> said.add("It has failed for good at " + time(one.since()) + ", after " + attempts(one) + ": " + one.reason() + ".");
            case RUNNING -> said.add("It runs since " + time(one.since()) + (view.progress() == null ? "." : String.format(Locale.ROOT, ": %s of %s are there, at %s%s.",
                    size(view.progress().moved() + view.progress().resumed()), size(view.progress().octets()), rate(view.progress().rate()),
                    view.progress().secondsLeft() < 0 ? "" : String.format(Locale.ROOT, ", %.0f s are left", view.progress().secondsLeft()))));
            default -> said.add(hold(one, view.hold()));
        }
        if (one.state() == Transfer.State.RUNNING && !one.reason().isEmpty()) {
            said.add("The attempt before ended by " + one.reason() + ".");
        }
        if (!one.state().isOver() && one.request().isTimed()) {
            String asked = asked(one.request());
            said.add(Character.toUpperCase(asked.charAt(0)) + asked.substring(1) + (one.promised() ? "." : "; that was not promised: it was said to be not met, and submitted anyway."));
        }
        if (view.forecast() != null && !one.state().isOver()) {
            String expected = expected(view.forecast(), one);
            said.add(Character.toUpperCase(expected.charAt(0)) + expected.substring(1) + ".");
        } else if (!one.state().isOver()) {
            said.add(one.octets() < 0 ? "Nothing can be forecast: how large it is, is not known yet." : "Nothing can be forecast: nothing has been measured from " + one.from() + " to " + one.to() + " yet.");
        }
        return said;
    }

    private static String attempts(Transfer one) {
        return one.attempts().size() == 1 ? "1 attempt" : one.attempts().size() + " attempts";
    }

    private static String hold(Transfer one, Hold hold) {
        if (hold == null) {
            return "It begins at once.";
        }
        String by = names(hold.by());
        return switch (hold.kind()) {
            case ALL -> "It waits for others: " + hold.by().size() + " transfers run, and no more may run at a time.";
            case SITE -> "It waits for the bound of the site " + hold.what() + ": " + hold.by().size() + " transfers run there, and no more may run at a time: " + by + ".";
            case LINK -> "It waits for the bound of the link " + hold.what() + ": " + hold.by().size() + " transfers run there, and no more may run at a time: " + by + ".";
            case PLACE -> "It waits for " + by + ", which writes to the same place.";
            case TURN -> "It waits for its turn: room at " + hold.what() + " is kept for " + by + ", which has waited longer.";
            case PROMISE -> "It waits so that " + by + " is in time, as was promised.";
            case RETRY -> "It is tried again at " + time(one.next()) + ", after " + attempts(one) + "; the last one ended by " + one.reason() + ".";
        };
    }

    private static String names(List<String> ids) {
        return ids.size() <= MOST_NAMED ? String.join(", ", ids) : String.join(", ", ids.subList(0, MOST_NAMED)) + " and " + (ids.size() - MOST_NAMED) + " others";
    }

    private static String size(long octets) {
        return octets < 0 ? "an unknown number of octets" : octets < 1_000_000 ? octets + " octets" : octets < 1_000_000_000 ? String.format(Locale.ROOT, "%.1f MB", octets / 1e6)
                : String.format(Locale.ROOT, "%.1f GB", octets / 1e9);
    }

    private static String rate(double octets) {
        return octets < 125e6 ? String.format(Locale.ROOT, "%.1f Mbit/s", octets * 8e-6) : String.format(Locale.ROOT, "%.2f Gbit/s", octets * 8e-9);
    }
}
