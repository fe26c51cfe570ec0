package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlainTextTest {
    @Test
    void nothingIsLeftThatATerminalObeys() {
        assertThat(PlainText.of("ok\r\n12:00:00 WARN forged\t\u001b[2J\u0007\u009b1m\u202e\u2028\ud800 é €"))
                .isEqualTo("ok  12:00:00 WARN forged ?[2J??1m? ? é €");
        assertThat(PlainText.of(null)).isNull();
    }

    @Test
    void anErrorIsOneLineWhoeverWroteItsText() {
        AnepException error = new AnepException(ErrorCode.BAD_BUNDLE, "no\n12:00 ERROR Node: all keys are revoked\u001b[1A");
        assertThat(error.getMessage()).isEqualTo(ErrorCode.BAD_BUNDLE + " no 12:00 ERROR Node: all keys are revoked?[1A");
        assertThat(error.text()).doesNotContainPattern("\\p{Cntrl}");
    }
}
