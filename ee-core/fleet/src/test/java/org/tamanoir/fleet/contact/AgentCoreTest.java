package org.tamanoir.fleet.contact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.fleet.Json;
import org.tamanoir.fleet.contact.AgentCore.Ask;
import org.tamanoir.fleet.contact.AgentCore.Report;
import org.tamanoir.fleet.contact.AgentCore.Wait;
import org.tamanoir.fleet.state.NodePart;

class AgentCoreTest {
    private static final Duration PERIOD = Duration.ofSeconds(5);

    private static long due(AgentCore agent, long now) {
        return now + (agent.next(now) instanceof Wait wait ? wait.millis() : 0);
    }

    @Property(tries = 200)
    void asksOnceAPeriodAFifthMoreOrLessAndReportsInBetween(@ForAll long seed) {
        AgentCore agent = new AgentCore(100, PERIOD, new SplittableRandom(seed));
        agent.reported(100, 600_000);
        long now = due(agent, 100);
        assertThat(now).as("soon after the start").isBetween(100L, 1_100L);
        for (int i = 0; i < 20; i++) {
            assertThat(agent.next(now)).isEqualTo(new Ask(null));
            agent.unchanged(now);
            long next = due(agent, now);
            assertThat(next - now).isBetween(4_000L, 6_000L);
            now = next;
        }
        agent.tried(now, "tag", Duration.ofSeconds(2));
        assertThat(agent.next(now)).isInstanceOf(Report.class);
        agent.reported(now, 500);
        assertThat(due(agent, now) - now).as("the report comes before the question").isEqualTo(500);
        assertThat(agent.next(now + 500)).isInstanceOf(Report.class);
        agent.reported(now + 500, 60_000);
        assertThat(due(agent, now) - now).isBetween(1_600L, 2_400L);
        assertThat(agent.next(due(agent, now))).isEqualTo(new Ask("tag"));
        agent.forget(now);
        assertThat(agent.next(now)).isEqualTo(new Ask(null));
    }

    @Property(tries = 200)
    void waitsLongerAndLongerButNeverLongerThanHalfAMinuteForAServerThatIsAway(@ForAll long seed) {
        AgentCore agent = new AgentCore(0, PERIOD, new SplittableRandom(seed));
        long now = 0;
        long[] bounds = {1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000};
        long longest = 0;
        for (int i = 0; i < 40; i++) {
            assertThat(agent.failed(now)).isEqualTo(i == 0);
            assertThat(agent.next(now)).as("no report to a server that is away").isNotInstanceOf(Report.class);
            long wait = due(agent, now) - now;
            assertThat(wait).isLessThanOrEqualTo(bounds[Math.min(i, 6)]);
            longest = Math.max(longest, wait);
            now += wait;
        }
        assertThat(longest).isGreaterThan(10_000);
        assertThat(agent.failures()).isEqualTo(40);
        assertThat(agent.unchanged(now)).isTrue();
        assertThat(agent.unchanged(now)).isFalse();
        assertThat(agent.failures()).isZero();
        assertThat(agent.failed(now)).isTrue();
        assertThat(due(agent, now) - now).as("it begins anew").isLessThanOrEqualTo(1_000);
    }

    @Test
    void anErrorOfTheServerIsAnAnswer() {
        AgentCore agent = new AgentCore(0, PERIOD, new SplittableRandom(1));
        agent.failed(0);
        assertThat(agent.refused(10_000)).isTrue();
        assertThat(agent.next(10_000)).as("the server is there, and is told").isInstanceOf(Report.class);
        agent.reported(10_000, 60_000);
        assertThat(due(agent, 10_000)).as("the usual time").isBetween(14_000L, 16_000L);
        agent.changed(11_000);
        assertThat(agent.next(11_000)).isInstanceOf(Report.class);
    }

    @Test
    void anAnswerIsForOneNodeAndIsWhatItsDigestSays() {
        NodePart part = new NodePart("a", Json.of("{drain: '1s'}"));
        String good = "{node: 'a', generation: 3, sha256: '" + part.sha256() + "', part: {drain: '1s'}, revoked: [], pollMillis: 5000}";
        PartAnswer answer = PartAnswer.read(Json.of(good), "a");
        assertThat(answer.part()).isEqualTo(part);
        assertThat(answer.poll()).isEqualTo(PERIOD);
        assertThatThrownBy(() -> PartAnswer.read(Json.of(good), "b")).hasMessageContaining("not b");
        assertThatThrownBy(() -> PartAnswer.read(Json.of(good.replace("1s", "2s")), "a")).hasMessageContaining("sha256: it is");
    }
}
