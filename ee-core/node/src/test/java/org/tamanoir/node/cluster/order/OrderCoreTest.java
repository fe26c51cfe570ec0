package org.tamanoir.node.cluster.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Outcome.State;
import org.tamanoir.membership.Welcome.Order;
import org.tamanoir.node.cluster.order.OrderCore.Do;

/** What a back end does with orders, on a virtual clock. */
@Tag("seeded")
class OrderCoreTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long SETTLE = SECOND;

    private final OrderCore core = new OrderCore();
    /** Far from 0, and the clock passes its end on the way. */
    private long now = Long.MAX_VALUE - 3 * SECOND;

    private static Order order(int id, long drainSeconds) {
        return new Order(String.format("%016x", id), "teller", 0x5510, null, drainSeconds * 1000);
    }

    private Do after(long nanos, boolean told, long streams) {
        now += nanos;
        return core.tick(now, told, SETTLE, streams);
    }

    /** Given, and looked for: 1.1.0 is to be had. */
    private void begun(Order order, String to) {
        assertThat(core.offered(List.of(order))).isEqualTo(order);
        core.begin(order, "1.0.0", 7);
        assertThat(core.outcome()).isEqualTo(new Outcome(order.id(), State.WAITING, "1.0.0", 7, null));
        assertThat(after(0, false, 7)).isEqualTo(Do.LOOK);
        assertThat(after(SECOND, false, 7)).as("once").isEqualTo(Do.NOTHING);
        assertThat(core.isAway()).as("as long as nobody knows whether there is anything to do").isFalse();
        core.found(now, new Upgrader.Found("1.0.0", to));
    }

    /** Wrong: to take no streams for drained before directors have heard that they are to send none. */
    @Test
    void itChangesWhenDirectorsHaveHeardAndItsStreamsHaveEnded() {
        begun(order(1, 30), "1.1.0");
        assertThat(core.isAway()).isTrue();
        assertThat(after(5 * SECOND, false, 0)).as("no front-end knows").isEqualTo(Do.NOTHING);
        assertThat(after(SECOND, true, 0)).as("it has only just heard").isEqualTo(Do.NOTHING);
        assertThat(after(SETTLE, true, 2)).as("late ones").isEqualTo(Do.NOTHING);
        assertThat(core.outcome()).isEqualTo(new Outcome(order(1, 0).id(), State.DRAINING, "1.0.0", 2, null));
        assertThat(after(SECOND, false, 0)).as("it has forgotten").isEqualTo(Do.NOTHING);
        assertThat(after(SECOND, true, 0)).isEqualTo(Do.NOTHING);
        assertThat(after(SETTLE, true, 0)).isEqualTo(Do.UPGRADE);
        assertThat(core.target()).isEqualTo("1.1.0");
        assertThat(core.isAway()).isTrue();
        assertThat(after(SECOND, true, 0)).as("once").isEqualTo(Do.NOTHING);
        core.upgraded("1.1.0");
        assertThat(core.isAway()).isFalse();
        assertThat(core.outcome()).isEqualTo(new Outcome(order(1, 0).id(), State.DONE, "1.1.0", 0, null));
    }

    /** Wrong: to stay away until the director cuts what is left; to come back before a change that is quick. */
    @Test
    void withStreamsThatDoNotEndItChangesBesideThemAndComesBackInTime() {
        begun(order(1, 30), "1.1.0");
        assertThat(after(30 * SECOND - 1, true, 3)).isEqualTo(Do.NOTHING);
        assertThat(after(1, true, 3)).isEqualTo(Do.UPGRADE);
        assertThat(after(29 * SECOND, true, 1)).isEqualTo(Do.NOTHING);
        assertThat(core.isAway()).isTrue();
        assertThat(core.outcome().streams()).as("that were left").isEqualTo(3);
        after(SECOND, true, 1);
        assertThat(core.isAway()).as("twice its time to drain").isFalse();
        assertThat(core.outcome().state()).isEqualTo(State.UPGRADING);
        core.failed(new AnepException(ErrorCode.SERVICE_START_FAILED, "it\nthrows"), "1.0.0");
        assertThat(core.outcome()).isEqualTo(new Outcome(order(1, 0).id(), State.FAILED, "1.0.0", 3, "EE-305 it throws"));
    }

    @Test
    void itStaysWhereThereIsNothingToDoNothingToBeHadOrNoTimeToDrain() {
        begun(order(1, 30), null);
        assertThat(List.of(core.isAway(), core.outcome().state(), core.outcome().version())).isEqualTo(List.of(false, State.DONE, "1.0.0"));

        Order second = order(2, 30);
        core.begin(core.offered(List.of(second)), "1.0.0", 0);
        assertThat(after(0, false, 0)).isEqualTo(Do.LOOK);
        core.failed(new AnepException(ErrorCode.NOT_FOUND, "no source has it"), "1.0.0");
        assertThat(List.of(core.isAway(), core.outcome().state())).isEqualTo(List.of(false, State.FAILED));

        begun(order(3, 0), "1.1.0");
        assertThat(core.isAway()).isFalse();
        assertThat(after(0, false, 7)).isEqualTo(Do.UPGRADE);
        after(1000 * SECOND, false, 7);
        assertThat(List.of(core.isAway(), core.outcome().state(), core.outcome().streams())).isEqualTo(List.of(false, State.UPGRADING, 7L));
    }

    /** A front-end that repeats its orders until it has heard of the end, as they do. */
    private static final class Asking {
        private final List<Order> orders = new ArrayList<>();
        private int next;

        Order now() {
            return next < orders.size() ? orders.get(next) : null;
        }

        void hears(Outcome outcome) {
            if (now() != null && outcome != null && outcome.order().equals(now().id()) && outcome.state().isEnd()) {
                next++;
            }
        }
    }

    /** Wrong: an order that is begun twice, or two at a time, or whose end its front-end never hears of; a back end that stays away. */
    @Test
    @Tag("long")
    void ordersOfTwoFrontEndsThatRepeatThemselvesAreCarriedOutOnceEachAndHeardOf() {
        for (int seed = 0; seed < 120; seed++) {
            Random random = new Random(seed);
            List<Asking> frontEnds = List.of(new Asking(), new Asking());
            int ids = 0;
            for (Asking each : frontEnds) {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    each.orders.add(order(++ids, random.nextInt(3) * 5));
                }
            }
            Map<String, Integer> begun = new HashMap<>();
            OrderCore tested = new OrderCore();
            long working = -1;
            Do job = Do.NOTHING;
            long clock = random.nextLong();
            for (int step = 0; step < 8000; step++) {
                clock += SECOND / 10;
                if (random.nextInt(10) == 0) {
                    frontEnds.get(random.nextInt(2)).hears(tested.outcome());
                }
                Order next = tested.offered(frontEnds.stream().map(Asking::now).filter(each -> each != null).toList());
                if (next != null) {
                    assertThat(tested.isIdle()).as("seed %d", seed).isTrue();
                    begun.merge(next.id(), 1, Integer::sum);
                    tested.begin(next, "1.0.0", 0);
                }
                Do now = tested.tick(clock, random.nextInt(8) > 0, SETTLE, random.nextInt(3));
                assertThat(now == Do.NOTHING || job == Do.NOTHING).as("one job at a time, seed %d", seed).isTrue();
                job = now == Do.NOTHING ? job : now;
                working = now == Do.NOTHING ? working - 1 : random.nextInt(200);
                if (job != Do.NOTHING && working <= 0) {
                    if (random.nextInt(5) == 0) {
                        tested.failed(new AnepException(ErrorCode.NOT_FOUND, "no"), "1.0.0");
                    } else if (job == Do.LOOK) {
                        tested.found(clock, new Upgrader.Found("1.0.0", random.nextInt(4) == 0 ? null : "1.1.0"));
                    } else {
                        tested.upgraded("1.1.0");
                    }
                    job = Do.NOTHING;
                }
                assertThat(tested.isAway() && tested.isIdle()).as("away for nothing, seed %d", seed).isFalse();
            }
            assertThat(begun).as("seed %d", seed).hasSize(ids).allSatisfy((id, count) -> assertThat(count).isEqualTo(1));
            assertThat(frontEnds).as("all were heard of, seed %d", seed).allSatisfy(each -> assertThat(each.now()).isNull());
        }
    }
}
