package org.tamanoir.node.cluster.order;

import java.util.Collection;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Welcome.Order;

/** Carries out the orders of front-ends: {@link OrderCore} with a thread for what blocks. Safe for all threads. */
public final class UpgradeOrders implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UpgradeOrders.class);

    /** What the back end has to know. */
    public interface Listener {
        /** It is about to take no new streams. */
        void leaves();

        /** Front-ends should hear of it at once. */
        void changed();
    }

    private final OrderCore core = new OrderCore();
    private final Upgrader upgrader;
    private final Listener listener;
    private Thread worker;
    private boolean closed;

    public UpgradeOrders(Upgrader upgrader, Listener listener) {
        this.upgrader = upgrader;
        this.listener = listener;
    }

    /**
     * Some times a second.
     *
     * @param offers       what front-ends that answer want now
     * @param told         whether every front-end that answers knows that the back end leaves, and one does
     * @param settleNanos  for directors to do what front-ends know
     * @param streams      that are open
     */
    public void tick(long now, Collection<Order> offers, boolean told, long settleNanos, long streams) {
        Outcome before;
        synchronized (this) {
            before = core.outcome();
            if (closed || offers.isEmpty() && core.isIdle()) {
                return;
            }
            Order next = core.offered(offers);
            if (next != null) {
                LOG.info("a front-end wants {} {}, with {} ms to drain", next.service(), next.version() == null ? "as new as it is to be had" : next.version(),
                        next.drainMillis());
                core.begin(next, upgrader.active(next.typeId()), streams);
            }
            work(core.tick(now, told, settleNanos, streams), core.order());
        }
        tell(before);
    }

    private void work(OrderCore.Do what, Order order) {
        if (what != OrderCore.Do.NOTHING) {
            String target = core.target();
            worker = new Thread(() -> {
                if (what == OrderCore.Do.LOOK) {
                    look(order);
                } else {
                    upgrade(order, target);
                }
            }, "tamanoir-order");
            worker.setDaemon(true);
            worker.start();
        }
    }

    private void look(Order order) {
        try {
            Upgrader.Found found = upgrader.find(order);
            done(() -> {
                if (found.to() != null && order.drainMillis() > 0) {
                    listener.leaves();
                }
                core.found(System.nanoTime(), found);
            });
        } catch (AnepException e) {
            failed(order, e);
        } catch (RuntimeException e) {
            // Whatever it is: the front-end that waits must hear of it.
            failed(order, new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        }
    }

    private void upgrade(Order order, String target) {
        try {
            String active = upgrader.upgrade(order, target);
            LOG.info("{} {} is active, as a front-end has wanted", order.service(), active);
            done(() -> core.upgraded(active));
        } catch (AnepException e) {
            failed(order, e);
        } catch (RuntimeException e) {
            failed(order, new AnepException(ErrorCode.INTERNAL, e.toString(), e));
        }
    }

    private void failed(Order order, AnepException why) {
        LOG.warn("{} is not upgraded: {}", order.service(), why.getMessage());
        String active = upgrader.active(order.typeId());
        done(() -> core.failed(why, active));
    }

    private void done(Runnable change) {
        Outcome before;
        synchronized (this) {
            if (closed) {
                return;
            }
            before = core.outcome();
            change.run();
        }
        tell(before);
    }

    private void tell(Outcome before) {
        Outcome now = outcome();
        if (now != null && (before == null || !before.order().equals(now.order()) || before.state() != now.state()
                || !Objects.equals(before.version(), now.version()))) {
            listener.changed();
        }
    }

    /** Whether the back end is to take no new streams. */
    public synchronized boolean isAway() {
        return core.isAway() && !closed;
    }

    /** For reports; null before the first order. */
    public synchronized Outcome outcome() {
        return core.outcome();
    }

    /** Carries out nothing more. What has begun to start is not taken back. */
    @Override
    public synchronized void close() {
        closed = true;
        if (worker != null) {
            worker.interrupt();
        }
    }
}
