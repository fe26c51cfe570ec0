package org.tamanoir.node.server;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpError;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.service.server.Server;

/** One server of one service. Each document and each message has a thread while it waits for an answer, and none between. */
public final class ServerContact implements Server, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerContact.class);
    /** Beyond what the server may wait. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration MOST_WAIT = Duration.ofMinutes(5);
    /** From one question for a document to the next, at least. */
    private static final long LEAST_NANOS = 1_000_000_000L;
    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
    private static final long MOST_PAUSE_NANOS = 30_000_000_000L;
    private static final double SPREAD = 0.25;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVERS_FAULT = 500;
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*");

    private final String service;
    private final HttpFetch http;
    private final Supplier<String> token;
    private final ServiceServers threads;
    private final Executor tasks;
    private final Set<Request> underWay = new HashSet<>();
    private boolean ended;
    private volatile String problem;

    /** @param tasks where the service is told */
    ServerContact(String service, HttpFetch http, Supplier<String> token, ServiceServers threads, Executor tasks) {
        this.service = service;
        this.http = http;
        this.token = token;
        this.threads = threads;
        this.tasks = tasks;
    }

    @Override
    public String problem() {
        return problem;
    }

    @Override
    public void follow(String path, Duration wait, Consumer<byte[]> changed) {
        if (wait.toNanos() < LEAST_NANOS || wait.compareTo(MOST_WAIT) > 0) {
            throw new IllegalArgumentException("a wait of " + wait + " is not from 1 s to 5 min");
        }
        begin(new Followed(checked(path), wait, changed));
    }

    @Override
    public void send(Message message, Consumer<Answer> answered) {
        checked(message.path());
        begin(new Sent(message, answered));
    }

    private static String checked(String path) {
        if (!PATH.matcher(path).matches()) {
            throw new IllegalArgumentException("'" + path + "' is no path that begins with a slash, escaped");
        }
        return path;
    }

    private synchronized void begin(Request request) {
        if (ended) {
            return;
        }
        if (underWay.size() >= MOST_UNDER_WAY) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, service + " has " + MOST_UNDER_WAY + " requests under way to " + http.base() + " and may have no more");
        }
        underWay.add(request);
        request.soon();
    }

    private synchronized void over(Request request) {
        underWay.remove(request);
    }

    private synchronized boolean hasEnded() {
        return ended;
    }

    /** The service stops: nobody is asked any more. */
    @Override
    public synchronized void close() {
        ended = true;
        underWay.forEach(Request::cancel);
        underWay.clear();
    }

    /** What is asked again until it is over. */
    private abstract class Request implements Runnable {
        private Future<?> next;
        private int failures;

        /** Asks once; returns nanoseconds until the next time, negative if there is none. */
        abstract long ask();

        /** Whether asking again is of no use. */
        abstract boolean isFinal(AnepException refusal);

        void soon() {
            later(0);
        }

        private void later(long nanos) {
            synchronized (ServerContact.this) {
                if (!ended) {
                    try {
                        next = nanos == 0 ? threads.run(this) : threads.after(nanos, this::soon);
                    } catch (RejectedExecutionException e) {
                        LOG.debug("{} asks no more: the node stops", service);
                    }
                }
            }
        }

        /** Within the lock. */
        void cancel() {
            if (next != null) {
                next.cancel(true);
            }
        }

        HttpFetch server(Duration timeout) {
            return http.token(token.get()).timeout(timeout);
        }

        @Override
        public final void run() {
            long pause;
            try {
                pause = ask();
                failures = 0;
                answers();
            } catch (AnepException e) {
                if (hasEnded()) {
                    return;
                }
                fails(e);
                pause = isFinal(e) ? -1 : backOff();
            } catch (RuntimeException e) {
                LOG.warn("{} at {}", service, http.base(), e);
                pause = backOff();
            }
            if (pause < 0) {
                over(this);
            } else {
                later(Math.max(1, pause));
            }
        }

        private long backOff() {
            long middle = Math.min(MOST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(10, failures++));
            return (long) (middle * (1 + SPREAD * (2 * ThreadLocalRandom.current().nextDouble() - 1)));
        }
    }

    private void answers() {
        if (problem != null) {
            LOG.info("{}: {} answers again", service, http.base());
        }
        problem = null;
    }

    private void fails(AnepException why) {
        if (!why.getMessage().equals(problem)) {
            LOG.warn("{}: {}", service, why.getMessage());
        }
        problem = why.getMessage();
    }

    private final class Followed extends Request {
        private final String path;
        private final Duration wait;
        private final Consumer<byte[]> changed;
        private String etag;

        Followed(String path, Duration wait, Consumer<byte[]> changed) {
            this.path = path;
            this.wait = wait;
            this.changed = changed;
        }

        @Override
        long ask() {
            long began = System.nanoTime();
            Fetched fetched = server(wait.plus(PATIENCE)).ifChanged(path, etag, MOST_DOCUMENT);
            if (fetched.body().isEmpty()) {
                return Math.max(0, began + wait.toNanos() - System.nanoTime());
            }
            etag = fetched.etag();
            tasks.execute(() -> changed.accept(fetched.body().get()));
            return Math.max(0, began + LEAST_NANOS - System.nanoTime());
        }

        @Override
        boolean isFinal(AnepException refusal) {
            return false;
        }
    }

    private final class Sent extends Request {
        private final Message message;
        private final Consumer<Answer> answered;

        Sent(Message message, Consumer<Answer> answered) {
            this.message = message;
            this.answered = answered;
        }

        @Override
        long ask() {
            byte[] body = server(PATIENCE).send(message.method(), message.path(), message.type(), message.body(), MOST_DOCUMENT);
            tell(new Answer(body, null));
            return -1;
        }

        @Override
        boolean isFinal(AnepException refusal) {
            int status = HttpError.statusOf(refusal.code());
            boolean passes = status >= SERVERS_FAULT || status == TOO_MANY_REQUESTS;
            if (!passes) {
                tell(new Answer(null, refusal));
            }
            return !passes;
        }

        /** What is under way is counted until the service has been told. */
        private void tell(Answer answer) {
            over(this);
            tasks.execute(() -> answered.accept(answer));
        }
    }
}
