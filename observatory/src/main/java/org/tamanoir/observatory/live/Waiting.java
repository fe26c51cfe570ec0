package org.tamanoir.observatory.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/** Theodolites that wait for a document of theirs to change. Each has its time, and there are only so many. */
final class Waiting {
    private static final int MOST = 20_000;
    /** One theodolite asks one at a time; further ones are connections that it has lost. */
    private static final int MOST_OF_ONE = 4;

    private record Waiter(String tag, long until, CompletableFuture<Tagged> answer) {
    }

    private final Map<String, List<Waiter>> waiters = new HashMap<>();
    private int count;
    private boolean closed;

    /** A later answer, or the present one if nobody else can wait. */
    synchronized CompletableFuture<Tagged> await(String theodolite, Tagged now, long until) {
        if (count >= MOST || closed) {
            return CompletableFuture.completedFuture(now);
        }
        List<Waiter> own = waiters.computeIfAbsent(theodolite, name -> new ArrayList<>());
        if (own.size() >= MOST_OF_ONE) {
            own.remove(0).answer().complete(now);
            count--;
        }
        Waiter waiter = new Waiter(now.tag(), until, new CompletableFuture<>());
        own.add(waiter);
        count++;
        return waiter.answer();
    }

    /** Answers those whose time is over, and of some theodolites those for whom there is something new. */
    void look(long now, Iterable<String> changed, Function<String, Tagged> documents) {
        List<Runnable> answers = new ArrayList<>();
        synchronized (this) {
            for (String name : changed) {
                Tagged document = waiters.containsKey(name) ? documents.apply(name) : null;
                remove(name, waiter -> document != null && !document.tag().equals(waiter.tag()), document, answers);
            }
            for (String name : List.copyOf(waiters.keySet())) {
                if (waiters.get(name).stream().anyMatch(waiter -> waiter.until() <= now)) {
                    remove(name, waiter -> waiter.until() <= now, documents.apply(name), answers);
                }
            }
        }
        answers.forEach(Runnable::run);
    }

    private void remove(String name, Predicate<Waiter> which, Tagged document, List<Runnable> answers) {
        List<Waiter> own = waiters.getOrDefault(name, List.of());
        for (Iterator<Waiter> each = own.iterator(); each.hasNext();) {
            Waiter waiter = each.next();
            if (which.test(waiter)) {
                each.remove();
                count--;
                answers.add(() -> waiter.answer().complete(document));
            }
        }
        if (own.isEmpty()) {
            waiters.remove(name);
        }
    }

    synchronized List<String> names() {
        return List.copyOf(waiters.keySet());
    }

    synchronized int count() {
        return count;
    }

    /** Answers everybody with what there is; from now on nobody waits. */
    void close(Function<String, Tagged> documents) {
        synchronized (this) {
            closed = true;
        }
        look(Long.MAX_VALUE, List.of(), documents);
    }
}
