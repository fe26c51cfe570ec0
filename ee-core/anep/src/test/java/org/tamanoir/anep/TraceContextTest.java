package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text form, with the cases of the test suite of W3C Trace Context. */
class TraceContextTest {
    private static final String GOOD = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void readsAndWritesTheTextOfW3c() {
        TraceContext context = TraceContext.of(GOOD);
        assertThat(context).isEqualTo(new TraceContext(0x4bf92f3577b34da6L, 0xa3ce929d0e0e4736L, 0x00f067aa0ba902b7L, 1)).hasToString(GOOD);
        assertThat(context.isSampled()).isTrue();
        assertThat(TraceContext.of("00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-fe").isSampled()).isFalse();
        assertThat(TraceContext.of("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like")).isEqualTo(context);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x"})
    void refusesWhatIsNoContext(String text) {
        assertThatThrownBy(() -> TraceContext.of(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
