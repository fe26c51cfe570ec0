package org.tamanoir.client.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;

class FailureLogTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void aFloodOfOneKindIsALineASecondWithTheirNumberAndHidesNoOther() {
        FailureLog log = new FailureLog();
        long begin = Long.MAX_VALUE - SECOND / 2;
        assertThat(log.add(ErrorCode.NO_ROUTE, begin)).isZero();
        for (int i = 1; i < 1000; i++) {
            assertThat(log.add(ErrorCode.NO_ROUTE, begin + i * SECOND / 1000)).isEqualTo(FailureLog.SILENT);
        }
        assertThat(log.add(ErrorCode.UNREACHABLE, begin + SECOND / 2)).as("another kind").isZero();
        assertThat(log.add(ErrorCode.NO_ROUTE, begin + SECOND)).isEqualTo(999);
        assertThat(log.add(ErrorCode.NO_ROUTE, begin + 2 * SECOND)).isZero();
    }
}
