package org.tamanoir.node.deploy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Work that peers cause and that may block. A few tasks run at a time, one on each account, and the accounts take turns; so a peer whose
 * servers do not answer holds one thread and no more. What waits is bounded for each account and in all; when all is full, the account
 * with the most gives way. Any thread; it has no thread and no clock of its own.
 */
final class FairQueue {
    /** What waits on one account. A peer that needs more services than this at once is a flood. */
    static final int MOST_OF_ACCOUNT = 256;
    /** What waits in all: 16 floods, a few hundred octets each entry. */
    static final int MOST = 16 * MOST_OF_ACCOUNT;

    /** Equal tasks are the same work. */
    interface Task extends Runnable {
        /** It will not be run: EE-410 for lack of room, EE-210 if the node is stopping. */
        void refused(AnepException why);
    }

    private final int atOnce;
    private final Executor threads;
    /** By account, the one whose turn is next first. */
    private final Map<String, Set<Task>> waiting = new LinkedHashMap<>();
    /** The accounts on which a task waits. */
    private final Map<Task, Set<String>> accounts = new HashMap<>();
    private final Set<String> served = new HashSet<>();
    private int entries;

    /** @param atOnce tasks that run at a time */
    FairQueue(int atOnce, Executor threads) {
        this.atOnce = atOnce;
        this.threads = threads;
    }

    /** Runs a task when its account has its turn, or refuses it, or another one in its place. */
    void add(String account, Task task) {
        Task refused;
        synchronized (this) {
            refused = enter(account, task);
        }
        if (refused != null) {
            refused.refused(new AnepException(ErrorCode.BUSY, "too many services are being got for " + account + "; try again in a moment"));
        }
        begin();
    }

    /** A task that waits may be run on another account too, whichever has its turn first; nothing happens if there is no room. */
    void join(String account, Task task) {
        synchronized (this) {
            if (!accounts.containsKey(task) || size(account) >= MOST_OF_ACCOUNT || entries >= MOST) {
                return;
            }
            put(account, task);
        }
        begin();
    }

    /** Takes out a task that waits. Returns whether it did: then it will not be run here. */
    synchronized boolean withdraw(Task task) {
        Set<String> all = accounts.remove(task);
        if (all == null) {
            return false;
        }
        all.forEach(account -> drop(account, task));
        return true;
    }

    /** Returns the task that there is no room for, or null. */
    private Task enter(String account, Task task) {
        if (size(account) >= MOST_OF_ACCOUNT) {
            return task;
        }
        Task refused = null;
        if (entries >= MOST) {
            String longest = waiting.keySet().stream().max((one, other) -> Integer.compare(size(one), size(other))).orElseThrow();
            if (size(longest) <= size(account)) {
                return task;
            }
            refused = last(waiting.get(longest));
            drop(longest, refused);
            Set<String> others = accounts.get(refused);
            others.remove(longest);
            if (others.isEmpty()) {
                accounts.remove(refused);
            } else {
                refused = null;
            }
        }
        put(account, task);
        return refused;
    }

    private static Task last(Set<Task> tasks) {
        Task last = null;
        for (Task task : tasks) {
            last = task;
        }
        return last;
    }

    private int size(String account) {
        Set<Task> tasks = waiting.get(account);
        return tasks == null ? 0 : tasks.size();
    }

    private void put(String account, Task task) {
        if (waiting.computeIfAbsent(account, unused -> new LinkedHashSet<>()).add(task)) {
            accounts.computeIfAbsent(task, unused -> new HashSet<>()).add(account);
            entries++;
        }
    }

    private void drop(String account, Task task) {
        Set<Task> tasks = waiting.get(account);
        tasks.remove(task);
        entries--;
        if (tasks.isEmpty()) {
            waiting.remove(account);
        }
    }

    private void begin() {
        for (Turn turn = next(); turn != null; turn = next()) {
            try {
                threads.execute(turn);
            } catch (RejectedExecutionException e) {
                end(turn);
                turn.task.refused(new AnepException(ErrorCode.STOPPING, "the node is stopping", e));
            }
        }
    }

    private synchronized Turn next() {
        if (served.size() == atOnce) {
            return null;
        }
        for (Map.Entry<String, Set<Task>> each : waiting.entrySet()) {
            String account = each.getKey();
            if (!served.contains(account)) {
                Task task = each.getValue().iterator().next();
                withdraw(task);
                served.add(account);
                return new Turn(account, task);
            }
        }
        return null;
    }

    private synchronized void end(Turn turn) {
        served.remove(turn.account);
        Set<Task> more = waiting.remove(turn.account);
        if (more != null) {
            // Behind those who have waited meanwhile.
            waiting.put(turn.account, more);
        }
    }

    private final class Turn implements Runnable {
        private final String account;
        private final Task task;

        private Turn(String account, Task task) {
            this.account = account;
            this.task = task;
        }

        @Override
        public void run() {
            try {
                task.run();
            } finally {
                end(this);
                begin();
            }
        }
    }
}
