package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.sim.Figure15;
import org.tamanoir.dyram.sim.Trace;
import org.tamanoir.dyram.sim.Trace.Row;
import org.tamanoir.dyram.sim.Trace.Step;

/** Figure 15 of the active grid paper, message by message: the repair of packet 28 touches nothing but the campus where it was lost. */
class AGoldenTraceTest {
    @Test
    void aLossAtOneHostIsRepairedByItsNeighbourAndNobodyElseHearsOfIt() {
        Figure15 figure = new Figure15(15, HopSettings.DEFAULT);

        assertThat(figure.run()).isTrue();

        Trace trace = figure.trace();
        List<Row> repair = trace.rows().stream().filter(row -> row.step() != Step.DATA).toList();
        assertThat(repair).as(trace.text()).extracting(row -> row.step() + " " + row.from() + " > " + row.to()).containsExactly(
                "NACK " + Figure15.LOSER + " > " + Figure15.ENS,
                "REQUEST " + Figure15.ENS + " > " + Figure15.REPLIER,
                "REPAIR " + Figure15.REPLIER + " > " + Figure15.ENS,
                "REPAIR " + Figure15.ENS + " > " + Figure15.LOSER);
        assertThat(repair).noneMatch(Row::lost);
        // One original to each place: the source's node, three sites, seven hosts.
        assertThat(trace.rows(Step.DATA)).hasSize(1 + 3 + 7).filteredOn(Row::lost).singleElement()
                .extracting(Row::to).isEqualTo(Figure15.LOSER);
        assertThat(figure.tree().hosts()).allSatisfy(host -> assertThat(host.store().content()).isEqualTo(figure.content().octets()));
        assertThat(trace.text()).contains("packet 28", Figure15.LOSER, "nack", "request", "lost");
    }

    @Test
    void theSameSeedGivesTheSameTrace() {
        assertThat(Figure15.trace(7).rows()).isEqualTo(Figure15.trace(7).rows()).isNotEmpty();
    }
}
