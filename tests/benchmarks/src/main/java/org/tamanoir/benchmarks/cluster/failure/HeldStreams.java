package org.tamanoir.benchmarks.cluster.failure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tamanoir.benchmarks.process.Pause;
import org.tamanoir.lab.LabException;

/** Streams that stay open and ask all the time. */
final class HeldStreams implements AutoCloseable {
    private static final int EVERY_MILLIS = 50;

    private static final class Held {
        final Question question;
        final int backEnd;
        volatile String broken;
        volatile long longest;
        volatile boolean over;

        Held(Question question) throws IOException {
            this.question = question;
            this.backEnd = question.ask();
        }

        void askOn() {
            while (!over) {
                long begun = System.nanoTime();
                try {
                    int answered = question.ask();
                    if (answered != backEnd) {
                        throw new Question.WrongAnswerException("its back end was " + backEnd + " and is " + answered);
                    }
                } catch (IOException e) {
                    if (!over) {
                        broken = e.toString();
                    }
                    return;
                }
                longest = Math.max(longest, System.nanoTime() - begun);
                Pause.millis(EVERY_MILLIS);
            }
        }
    }

    private final Callable<Question> opening;
    private final List<Held> all = new ArrayList<>();

    HeldStreams(Callable<Question> opening) {
        this.opening = opening;
    }

    /** Opens streams until there are so many of which none is broken. @throws LabException if one is not served */
    void fill(int count) {
        all.removeIf(held -> held.broken != null);
        while (all.size() < count) {
            try {
                Held held = new Held(opening.call());
                all.add(held);
                Question.thread("held stream", held::askOn).start();
            } catch (Exception e) {
                throw new LabException("a stream that is to stay cannot be opened: " + e, e);
            }
        }
    }

    /** Forgets how long answers took. */
    void begin() {
        all.forEach(held -> held.longest = 0);
    }

    /** How many there are at a back end, broken ones among them. */
    long at(int backEnd) {
        return all.stream().filter(held -> held.backEnd == backEnd).count();
    }

    /** Why streams broke; those of one back end are left out. @param exceptFor its number; 0 for none */
    List<String> broken(int exceptFor) {
        return all.stream().filter(held -> held.backEnd != exceptFor && held.broken != null).map(held -> "b" + held.backEnd + ": " + held.broken).toList();
    }

    /** The longest that a stream waited for an answer since {@link #begin}, in seconds; those that broke are left out. */
    double longestWait() {
        return all.stream().filter(held -> held.broken == null).mapToLong(held -> held.longest).max().orElse(0) / 1e9;
    }

    @Override
    public void close() throws IOException {
        for (Held held : all) {
            held.over = true;
            held.question.close();
        }
    }
}
