package org.tamanoir.cli;

import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.multicast.MulticastReceiver;

/**
 * Receives the files of one session after the other until the process is stopped. A session is taken once; one whose source was lost, and
 * one that the disk has damaged, may come again.
 */
final class ResidentReceiver {
    /** Between a failure and the next try. */
    private static final long PAUSE_SECONDS = 1;
    /** Sessions that are remembered: those that may still be announced. */
    private static final int MOST_SESSIONS = 1_000;
    private static final int MOST_SAID = 100;
    /** Times that a session is taken whose content was not what the source had sent: its packets are got again once. */
    private static final int MOST_TRIES = 2;

    private final MulticastReceive command;
    private final FileCommands commands;
    /** How often each session was taken; those that have ended for good have {@link #MOST_TRIES}. */
    private final Map<Long, Integer> tries = BoundedMap.byAge(MOST_SESSIONS);
    /** What was said since files came last: it is not said again with every try. */
    private final Set<String> said = Collections.newSetFromMap(BoundedMap.byAge(MOST_SAID));
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile MulticastReceiver current;

    ResidentReceiver(MulticastReceive command, FileCommands commands) {
        this.command = command;
        this.commands = commands;
    }

    /** @return the exit code: {@link ExitCode#DONE} unless a session was under way when it was stopped */
    int run() throws ExecutionException, InterruptedException {
        try (Interruption interruption = new Interruption(this::stop)) {
            try (MulticastReceiver first = start()) {
                command.ready();
                receive(first);
            }
            while (!stopped.await(0, TimeUnit.SECONDS)) {
                try (MulticastReceiver next = start()) {
                    receive(next);
                } catch (AnepException e) {
                    // The sockets or the directory, which were there when it was started.
                    failed(e);
                }
            }
            commands.close();
            boolean idle = current.status().session() == 0 || current.status().state().isOver() && current.status().error() == null;
            if (idle) {
                interruption.done();
            }
            return idle ? ExitCode.DONE : ExitCode.FAILED;
        }
    }

    private MulticastReceiver start() {
        Set<Long> had = new HashSet<>();
        tries.forEach((session, count) -> {
            if (count >= MOST_TRIES) {
                had.add(session);
            }
        });
        MulticastReceiver receiver = command.start(had, this::say);
        current = receiver;
        if (stopped.getCount() == 0) {
            receiver.leave();
        }
        return receiver;
    }

    /** On the thread of the signal. */
    private void stop() {
        stopped.countDown();
        MulticastReceiver receiver = current;
        if (receiver != null) {
            receiver.leave();
        }
    }

    private void receive(MulticastReceiver receiver) throws ExecutionException, InterruptedException {
        try {
            command.received(receiver, commands);
            tries.put(receiver.status().session(), MOST_TRIES);
            said.clear();
        } catch (AnepException e) {
            if (stopped.getCount() == 0) {
                if (receiver.status().session() != 0) {
                    command.say("stopped: the source was told");
                    command.kept(receiver, e);
                }
                return;
            }
            if (e.code() != ErrorCode.SOURCE_LOST) {
                tries.merge(receiver.status().session(), e.code() == ErrorCode.NOT_IDENTICAL ? 1 : MOST_TRIES, Integer::sum);
            }
            failed(e);
        }
    }

    private void failed(AnepException e) throws InterruptedException {
        say(e.getMessage());
        stopped.await(PAUSE_SECONDS, TimeUnit.SECONDS);
    }

    private synchronized void say(String line) {
        if (said.add(line)) {
            command.say(line);
        }
    }
}
