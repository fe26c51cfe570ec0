package org.tamanoir.node.cluster;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.membership.MessageWriter;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.WelcomeReader;

/** One front-end and the thread that reports to it: one that hangs holds up nobody but itself. */
final class Frontend {
    private static final Logger LOG = LoggerFactory.getLogger(Frontend.class);
    /** For a report and its answer: less than a lease. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    /** For the last word. */
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final String url;
    private final HttpFetch fetch;
    private final UnaryOperator<Report> report;
    private final Runnable answered;
    private final FrontendContact contact = new FrontendContact(System.nanoTime(), () -> ThreadLocalRandom.current().nextDouble());
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private boolean ended;
    private volatile Report last;

    /**
     * @param token    null for none
     * @param tls      for https; null for the JDK's authorities
     * @param report   gives the report that is due, by the one that this front-end had last; null for none
     * @param answered run after each answer
     */
    Frontend(String url, String token, SSLContext tls, UnaryOperator<Report> report, Runnable answered) {
        this.url = url;
        this.fetch = HttpFetch.of(url, ErrorCode.NO_FRONTEND).tls(tls).token(token);
        this.report = report;
        this.answered = answered;
        this.thread = new Thread(this::run, "tamanoir-member-" + url.replaceFirst("^\\w+://", ""));
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    String url() {
        return url;
    }

    FrontendContact contact() {
        return contact;
    }

    /** Reports at once. */
    void hurry() {
        contact.hurry(System.nanoTime());
        lock.lock();
        try {
            woken.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (awaitDue()) {
                send();
            }
        } catch (InterruptedException e) {
            LOG.debug("{} hears no more", url);
        }
    }

    /** False if it has ended. */
    private boolean awaitDue() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long wait = contact.waitNanos(System.nanoTime());
            while (!ended && wait > 0) {
                woken.awaitNanos(wait);
                wait = contact.waitNanos(System.nanoTime());
            }
            return !ended;
        } finally {
            lock.unlock();
        }
    }

    private void send() {
        long began = System.nanoTime();
        try {
            Report now = report.apply(last);
            last = now;
            Welcome welcome = WelcomeReader.read(fetch.timeout(TIMEOUT).put("/members/" + HttpFetch.segment(now.name()), MessageWriter.write(now),
                    ReportReader.MOST_OCTETS));
            if (contact.answered(welcome, now.state(), began, System.nanoTime())) {
                LOG.info("front-end {} ({}) has this node as {}{}", url, welcome.frontend(), welcome.standing(),
                        welcome.why() == null ? "" : ": " + welcome.why());
            }
        } catch (AnepException e) {
            failed(e);
        } catch (RuntimeException e) {
            // Whatever it is: the next report must be made all the same.
            failed(new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        }
        answered.run();
    }

    private void failed(AnepException why) {
        if (contact.failed(why, System.nanoTime()) && !hasEnded()) {
            LOG.warn("front-end {} does not take this node's reports: {}", url, why.getMessage());
        }
    }

    private boolean hasEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    /** Reports no more. */
    void end() {
        lock.lock();
        try {
            ended = true;
            woken.signal();
        } finally {
            lock.unlock();
        }
        thread.interrupt();
    }

    /** After {@link #end}: tells it that the back end is gone, if it has ever heard of it. Waits for its answer, a second at most. */
    void farewell() {
        try {
            thread.join(FAREWELL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        Report said = last;
        if (said == null || contact.view().taken() == 0) {
            return;
        }
        try {
            fetch.timeout(FAREWELL).delete("/members/" + HttpFetch.segment(said.name()) + "?instance=" + said.instance());
        } catch (AnepException e) {
            // It finds out by itself when the lease is over.
            LOG.debug("front-end {} was not told that this node is gone: {}", url, e.getMessage());
        }
    }
}
