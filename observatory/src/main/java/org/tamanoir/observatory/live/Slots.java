package org.tamanoir.observatory.live;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.agenda.Agenda;
import org.tamanoir.paths.agenda.Run;
import org.tamanoir.paths.plan.Session;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.paths.wire.Peer;

/** The agenda of the runs that an observatory begins: those that book their path, and those that somebody asks for. */
public final class Slots {
    /** Who has not asked for its runs for so long is away: it asks again within a minute. */
    static final long AWAY = 150_000;
    private static final int TOKEN_OCTETS = 16;
    /** Numbers of two processes are never the same: they begin with the second in which the process did. */
    private static final int NUMBER_BITS = 20;

    private record Begun(long number, String token, Run run) {
    }

    private final SecureRandom random = new SecureRandom();
    private final Agenda agenda = new Agenda(random.nextLong());
    private final Map<Long, Begun> begun = new LinkedHashMap<>();
    private final long base;
    private long highest = -1;

    Slots(long now) {
        base = now / 1000 << NUMBER_BITS;
    }

    synchronized void replace(List<Session> sessions, Function<String, Set<String>> bottlenecks, long now) {
        agenda.replace(sessions, bottlenecks, now);
    }

    /** A run as soon as it can be. @throws AnepException EE-410 if it cannot within the time */
    synchronized Run ask(Session session, Function<String, Set<String>> bottlenecks, long now, long within) {
        Run run = agenda.ask(session, bottlenecks, now, within);
        if (run.state() == Run.State.SKIPPED) {
            throw new AnepException(ErrorCode.BUSY, run.reason());
        }
        return run;
    }

    /** Begins and ends what is due. @param seen when a theodolite last asked @return theodolites whose runs are others now */
    synchronized Set<String> look(long now, ToLongFunction<String> seen) {
        Set<String> changed = new TreeSet<>();
        for (Run run : agenda.due(now)) {
            highest = Math.max(highest, run.number());
            // Whoever answers probes need not be a theodolite.
            List<String> needed = run.session().test().kind().isExpensive() ? ends(run) : List.of(run.session().from());
            String away = needed.stream().filter(each -> now - seen.applyAsLong(each) > AWAY).findFirst().orElse(null);
            if (away != null) {
                agenda.failed(run.number(), now, away + " has not asked for its runs for " + AWAY / 1000 + " s");
            } else {
                byte[] token = new byte[TOKEN_OCTETS];
                random.nextBytes(token);
                begun.put(run.number(), new Begun(base + run.number(), HexFormat.of().formatHex(token), run));
                changed.addAll(ends(run));
            }
        }
        Set<Long> running = new TreeSet<>();
        agenda.running().forEach(run -> running.add(run.number()));
        begun.values().stream().filter(each -> !running.contains(each.run().number())).forEach(each -> changed.addAll(ends(each.run())));
        begun.keySet().retainAll(running);
        return changed;
    }

    private static List<String> ends(Run run) {
        return List.of(run.session().from(), run.session().to());
    }

    /** The runs of a theodolite that are under way. */
    synchronized List<BookedRun> of(String theodolite, Function<String, Peer> peers) {
        List<BookedRun> runs = new ArrayList<>();
        for (Begun each : begun.values()) {
            Session session = each.run().session();
            boolean sends = session.from().equals(theodolite);
            // Of a cheap one the other end need not know.
            if (sends || session.to().equals(theodolite) && session.test().kind().isExpensive()) {
                runs.add(new BookedRun(each.number(), sends, session.id(), peers.apply(sends ? session.to() : session.from()), session.codePoint(), session.test().streams(), each.token(),
                        each.run().begins(), session.test().kind().isExpensive() ? session.test().length() : session.test().duration()));
            }
        }
        return runs;
    }

    /**
     * A run is over.
     *
     * @param why it failed; null if it is done
     * @return theodolites whose runs are others now
     * @throws AnepException EE-407 if there never was such a run, EE-782 if it is not the theodolite's
     */
    synchronized Set<String> report(long number, String theodolite, String why, long now) {
        Begun one = begun.get(number - base);
        if (one == null && (number < base || number > base + highest)) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no run " + number);
        }
        if (one == null) {
            return Set.of();
        }
        if (!one.run().session().from().equals(theodolite)) {
            throw new AnepException(ErrorCode.THEODOLITE_FOREIGN, "run " + number + " is not one of " + theodolite);
        }
        if (why == null) {
            agenda.done(number - base, now);
        } else {
            agenda.failed(number - base, now, why);
        }
        begun.remove(number - base);
        return Set.copyOf(ends(one.run()));
    }

    /**
     * What was, is and will be.
     *
     * @param load how much of the time of each theodolite and bottleneck the plan wants; above 1, runs are skipped
     */
    public record View(List<Run> past, List<Run> running, List<Run> future, Map<String, Double> load) {
    }

    public synchronized View view() {
        return new View(agenda.past(), agenda.running(), agenda.future(), agenda.load());
    }
}
