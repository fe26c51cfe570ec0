package org.tamanoir.benchmarks.cluster.failure;

import java.io.IOException;
import java.util.List;
import org.tamanoir.benchmarks.cluster.failure.Failures.Event;
import org.tamanoir.benchmarks.cluster.failure.Failures.Kind;
import org.tamanoir.benchmarks.cluster.site.ClusterSite;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.LabException;

/** A cluster with streams through it all the time, to which things happen. */
final class FailureLab implements AutoCloseable {
    /** Open ones. */
    private static final int HELD = 12;
    /** A new stream is given up after that; TCP tries again after one second and after three. */
    private static final int NEW_MILLIS = 5_000;
    private static final int HELD_MILLIS = 20_000;
    private static final int QUIET_MILLIS = 2_000;
    private static final int QUIET_TRIES = 10;
    private static final int WATCH_MILLIS = 6_000;
    /** A back end that the weights make wait is waited for. */
    private static final long RETURN_NANOS = 30_000_000_000L;
    /** Until a backup has the connections that were open before it came. */
    private static final int SYNCHRONISATION_MILLIS = 8_000;

    /**
     * By turns. With wlc a stream that a dead back end cut stays in the director's table as an open one, and keeps new short ones from that back end for
     * seconds: it would seem to have been taken out long before it was.
     */
    private static final String SCHEDULER = ", scheduler: wrr";

    private final ClusterSite site;
    private final Question.Server server;
    private final HeldStreams held;
    private final NewStreams fresh;

    FailureLab(int directors) {
        site = new ClusterSite(directors, "", SCHEDULER);
        try {
            server = site.receiver().host().inside(() -> new Question.Server(site.receiver().ipv4(), site::backEnd));
            held = new HeldStreams(() -> open(HELD_MILLIS));
            held.fill(HELD);
            fresh = new NewStreams(() -> open(NEW_MILLIS));
        } catch (Exception e) {
            site.close();
            throw e instanceof RuntimeException known ? known : new LabException("the receiver: " + e, e);
        }
    }

    private Question open(int millis) throws Exception {
        return site.testbed().client().host().inside(() -> new Question(site.virtual(), server.address(), millis));
    }

    /** Kills the back end that gets most new streams (SIGKILL), and starts it again when what followed was seen. */
    Event kill() {
        List<Attempt> before = quiet();
        int number = Attempt.busiest(before);
        Event event = watch(Kind.KILLED, before, number, () -> site.node(number).kill());
        site.startNode(number);
        site.awaitIn(number);
        return event;
    }

    /** Cuts the power of the master director, and boots it again when what followed was seen. */
    Event cutPower() {
        Pause.millis(SYNCHRONISATION_MILLIS);
        int master = site.master();
        Event event = watch(Kind.POWER_CUT, quiet(), 0, () -> site.cutPower(master));
        site.startDirector(master);
        ClusterSite.ALL.forEach(site::awaitIn);
        return event;
    }

    /** @param before the new streams until then @param number of the back end whose streams may break; 0 for none */
    private Event watch(Kind kind, List<Attempt> before, int number, Runnable happening) {
        long own = held.at(number);
        long now = System.nanoTime();
        happening.run();
        Pause.millis(WATCH_MILLIS);
        List<Attempt> seen = fresh.take();
        return new Event(kind, seen.size(), Attempt.failed(seen, now), Attempt.untilServed(seen, now), 0, HELD - own, held.broken(number), own,
                Attempt.share(before, number), held.longestWait());
    }

    /** Has the back end that gets most new streams leave, and come back. Nothing may break by it. */
    Event drain() {
        List<Attempt> before = quiet();
        int number = Attempt.busiest(before);
        long own = held.at(number);
        long now = System.nanoTime();
        site.serve(number, false);
        Pause.millis(WATCH_MILLIS / 2);
        List<Attempt> seen = fresh.take();
        double until = Attempt.lastAt(seen, now, number);
        long returned = System.nanoTime();
        site.serve(number, true);
        Pause.millis(WATCH_MILLIS / 2);
        List<Attempt> after = fresh.take();
        for (long end = returned + RETURN_NANOS; after.stream().noneMatch(each -> each.backEnd() == number) && System.nanoTime() - end < 0;) {
            Pause.millis(NewStreams.EVERY_MILLIS);
            after.addAll(fresh.take());
        }
        seen.addAll(after);
        return new Event(Kind.DRAINED, seen.size(), Attempt.failed(seen, now), until, Attempt.firstAt(after, returned, number), HELD, held.broken(0), own,
                Attempt.share(before, number), held.longestWait());
    }

    /**
     * Makes up for streams that broke, and waits until all is well: nothing that was so before is held against what happens.
     *
     * @return the new streams of that time
     */
    private List<Attempt> quiet() {
        held.fill(HELD);
        String bad = "nothing was tried";
        for (int i = 0; i < QUIET_TRIES; i++) {
            fresh.take();
            Pause.millis(QUIET_MILLIS);
            List<Attempt> before = fresh.take();
            List<String> wrong = before.stream().filter(Attempt::bad).map(each -> each.failed() ? each.failure() : "late").toList();
            if (!before.isEmpty() && wrong.isEmpty() && held.broken(0).isEmpty()) {
                held.begin();
                return before;
            }
            bad = "of " + before.size() + " new streams " + wrong.size() + " were not served at once " + wrong.stream().distinct().toList() + ", of open ones broke "
                    + held.broken(0);
        }
        throw new LabException("before anything happened: " + bad);
    }

    @Override
    public void close() {
        try {
            fresh.close();
            held.close();
            server.close();
        } catch (IOException e) {
            throw new LabException("cannot close a stream", e);
        } finally {
            site.close();
        }
    }
}
