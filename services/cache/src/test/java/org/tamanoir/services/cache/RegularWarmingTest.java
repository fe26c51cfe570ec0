package org.tamanoir.services.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.lease.Leases;
import org.tamanoir.service.testkit.ServiceHarness;

/** URLs that are fetched again and again before anybody asks, by the node that holds their group. */
class RegularWarmingTest {
    private static final Map<String, Object> WARM = Web.options("warm", "http://data.example.org/a@127.0.0.1:7000 http://127.0.0.1:7001/b@c", "warm-every", "1m");

    private static long opened(ServiceHarness harness) {
        return harness.connections().all().size();
    }

    @Test
    void everyUrlIsAskedForAtItsOriginAndAgainWhenItIsTime() throws Exception {
        try (ServiceHarness harness = ServiceHarness.start(new HttpCache(), WARM)) {
            harness.advance(Duration.ZERO);
            assertThat(harness.connections().all()).extracting(each -> each.remote().toString()).containsExactly("127.0.0.1:7000", "127.0.0.1:7001");
            harness.advance(Duration.ofSeconds(59));
            assertThat(opened(harness)).isEqualTo(2);
            harness.advance(Duration.ofSeconds(2));
            assertThat(opened(harness)).isEqualTo(4);
        }
    }

    /** Wrong: one that never comes again because there was no room for it once. */
    @Test
    void whatFindsNoRoomIsWarmedTheNextTime() throws Exception {
        try (Web web = new Web(Web.options("warm", "http://data.example.org/warm@127.0.0.1:7000", "warm-every", "1m", "neighbours", "10.9.0.1:3322"))) {
            web.harness.advance(Duration.ofMillis(59_900));
            for (int i = 0; web.harness.timers() < StreamContext.MOST_TIMERS; i++) {
                Web.Program program = web.program();
                program.ask("GET", "/other" + i);
                program.tasks();
            }
            for (int i = 0; i < 3; i++) {
                web.harness.advance(Duration.ofMinutes(1));
            }
            assertThat(web.harness.connections().all().stream().filter(each -> each.remote().toString().equals("127.0.0.1:7000"))).hasSizeGreaterThanOrEqualTo(4);
        }
    }

    /** Wrong: one that warms while another node does, on a lease that is over, or never once the other node has gone. */
    @Test
    void ofManyNodesTheHolderOfTheGroupDoesIt() throws Exception {
        Holder holder = new Holder();
        ServiceHarness harness = ServiceHarness.of(new HttpCache(), Web.options("warm", WARM.get("warm"), "warm-every", "1m", "warm-group", "caches"));
        try (harness) {
            harness.partner(Leases.TYPE_ID, holder).start();
            for (String other : new String[] {"another node", "", "own, and over"}) {
                holder.is = other;
                harness.advance(Duration.ofMinutes(3));
                assertThat(opened(harness)).as("held by '%s'", other).isZero();
            }
            holder.is = "own";
            harness.advance(Duration.ofSeconds(4));
            assertThat(opened(harness)).isEqualTo(2);
            harness.advance(Duration.ofSeconds(50));
            assertThat(opened(harness)).isEqualTo(2);
            harness.advance(Duration.ofSeconds(10));
            assertThat(opened(harness)).isEqualTo(4);
            assertThat(holder.asked).as("renewed each third of a lease").isGreaterThan(180);
            harness.partner(Leases.TYPE_ID, null);
            harness.advance(Duration.ofMinutes(2));
            assertThat(opened(harness)).as("without the service election").isEqualTo(4);
        }
    }

    @Test
    void whatCannotBeWarmedIsRefusedAtTheStart() {
        for (Map<String, Object> wrong : List.of(Web.options("warm", "ftp://a/b"), Web.options("warm", "http://a/b", "warm-every", "10ms"))) {
            assertThatThrownBy(() -> ServiceHarness.start(new HttpCache(), wrong)).isInstanceOfSatisfying(AnepException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONFIGURATION));
        }
    }

    private static final class Holder implements Leases {
        private String is;
        private int asked;

        @Override
        public void want(String group, Duration lease, BiConsumer<Lease, AnepException> outcome) {
            asked++;
            if (is.isEmpty()) {
                outcome.accept(null, new AnepException(ErrorCode.UNREACHABLE, "no majority"));
            } else {
                outcome.accept(new Lease(is, is.startsWith("own"), asked, is.equals("own") ? Long.MAX_VALUE / 2 : 0), null);
            }
        }

        @Override
        public Duration longest() {
            return Duration.ofSeconds(9);
        }

        @Override
        public void release(String group) {
            // It keeps it.
        }
    }
}
