package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus.State;

class MemberTableTest {
    private static SourceStatus status(List<MemberStatus> members) {
        return new SourceStatus(SourceStatus.State.REPAIRING, 1000, 1000, 0, 25, 7, 0, 0, 50_000_000, members.size(), members);
    }

    @Test
    void whatNeedNotBeSentIsSaid() {
        SourceStatus status = new SourceStatus(SourceStatus.State.REPAIRING, 1000, 400, 600, 25, 7, 0, 0, 50_000_000, 0, List.of());
        assertThat(MemberTable.lines(status).get(MemberTable.lines(status).size() - 1)).contains("400 of 1000 packets sent, 600 not needed, 25 repairs");
    }

    @Test
    void whoSentWrongRepairsIsNamedAlsoWhenItIsComplete() {
        assertThat(MemberTable.blamed(status(List.of(new MemberStatus("berlin", State.COMPLETE, 1000, null, false, null),
                new MemberStatus("paris", State.COMPLETE, 1000, null, true, null))))).containsExactly("EE-708 'paris' sent wrong repairs, and was asked for no more");
    }

    @Test
    void everyReceiverHasALineThatSaysWhyItIsNotComplete() {
        List<String> lines = MemberTable.lines(status(List.of(new MemberStatus("berlin", State.COMPLETE, 1000, null, false, null),
                new MemberStatus("lyon", State.LOST, 999, ErrorCode.RECEIVER_LOST, false, null),
                new MemberStatus("paris", State.RECEIVING, 500, null, true, null), new MemberStatus("rome", State.EXPECTED, 0, null, false, null))));
        assertThat(lines).hasSize(6);
        assertThat(lines.get(1)).matches("berlin +complete +100 +\\[={24}]");
        assertThat(lines.get(2)).as("99.9 %").matches("lyon +lost +99 +\\[={23} ] +EE-707");
        assertThat(lines.get(3)).matches("paris +receiving, sent wrong repairs +50 +\\[={12} {12}]");
        assertThat(lines.get(4)).matches("rome +expected +0 +\\[ {24}]");
        assertThat(lines.get(5)).isEqualTo("repairing: 1 of 4 receivers complete; 50.0 Mbit/s, 1000 of 1000 packets sent, 25 repairs (2.50 %), 7 NACKs");
    }

    @Test
    void ofManyReceiversThoseAreShownThatHaveLeast() {
        List<String> lines = MemberTable.lines(status(IntStream.range(0, 48)
                .mapToObj(i -> new MemberStatus("r" + i, State.RECEIVING, (i * 7) % 48 * 10, null, false, null)).toList()));
        assertThat(lines).hasSize(23);
        assertThat(lines.get(1)).startsWith("r0 ");
        assertThat(lines.get(2)).startsWith("r7 ");
        assertThat(lines.get(21)).isEqualTo("… and 28 more that have more");
    }
}
