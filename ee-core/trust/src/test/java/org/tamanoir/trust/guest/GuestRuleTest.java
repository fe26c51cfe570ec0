package org.tamanoir.trust.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.trust.Publisher;

class GuestRuleTest {
    private static final Publisher TRUSTED = new Publisher("CN=grid", "00", Instant.MAX);
    private static final Publisher CMS = new Publisher("CN=cms", "01", Instant.MAX, "cms");
    private static final Publisher NAMELESS = new Publisher("O=somebody", "02", Instant.MAX, "");

    private static void assertRefused(Publisher publisher, boolean development, String name, int typeId, String runtime, String why) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> GuestRule.check(publisher, development, name, typeId, "heavy", runtime)).withMessageContaining(why)
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOR_GUESTS));
    }

    @Test
    void letsAGuestHaveWhatIsForGuests() {
        assertThatCode(() -> GuestRule.check(CMS, false, "~cms/filter", 0x5800, "heavy", "wasm")).doesNotThrowAnyException();
        assertThatCode(() -> GuestRule.check(CMS, false, "~cms/filter", 0x5FFF, "heavy", "wasm")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "filter | 22529 | wasm | begin with ~cms/",
        "~atlas/filter | 22529 | wasm | begin with ~cms/",
        "~cms2/filter | 22529 | wasm | begin with ~cms/",
        "~cms/../atlas | 22529 | wasm | begin with ~cms/",
        "~cms/ | 22529 | wasm | begin with ~cms/",
        "~cms/filter | 21762 | wasm | 0x5800 to 0x5FFF",
        "~cms/filter | 22527 | wasm | 0x5800 to 0x5FFF",
        "~cms/filter | 24576 | wasm | 0x5800 to 0x5FFF",
        "~cms/filter | 22529 | java | WebAssembly",
        "~cms/filter | 22529 | Wasm | WebAssembly",
        "~cms/filter | 22529 | | WebAssembly"})
    void refusesAGuestEverythingElse(String name, int typeId, String runtime, String why) {
        assertRefused(CMS, false, name, typeId, runtime, why);
    }

    @Test
    void letsNoGuestOntoAnEventLoop() {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> GuestRule.check(CMS, false, "~cms/filter", 0x5801, "middle", "wasm")).withMessageContaining("level middle");
    }

    @Test
    void refusesAGuestWithoutALabelAnyName() {
        assertRefused(NAMELESS, false, "~/filter", 0x5801, "wasm", "no label");
        assertRefused(NAMELESS, false, "~cms/filter", 0x5801, "wasm", "no label");
    }

    @Test
    void letsNobodyElseHaveWhatIsForGuests() {
        assertRefused(TRUSTED, false, "~cms/filter", 0x5801, "wasm", "guests alone");
        assertRefused(TRUSTED, false, "filter", 0x5801, "wasm", "guests alone");
        assertRefused(TRUSTED, true, "filter", 0x5801, null, "guests alone");
        assertRefused(null, true, "filter", 0x5800, null, "guests alone");
        assertThatCode(() -> GuestRule.check(TRUSTED, false, "filter", 0x5501, "heavy", "wasm")).doesNotThrowAnyException();
        assertThatCode(() -> GuestRule.check(TRUSTED, false, "filter", 0x5501, "heavy", null)).doesNotThrowAnyException();
    }

    @Test
    void takesTheNameForTheGuestInDevelopmentMode() {
        assertThatCode(() -> GuestRule.check(null, true, "~cms/filter", 0x5801, "heavy", "wasm")).doesNotThrowAnyException();
        assertThatCode(() -> GuestRule.check(TRUSTED, true, "~cms/filter", 0x5801, "heavy", "wasm")).doesNotThrowAnyException();
        assertRefused(null, true, "~cms/filter", 0x5801, null, "WebAssembly");
        assertRefused(null, true, "~cms/filter", 0x5501, "wasm", "0x5800");
        assertRefused(null, true, "~cms", 0x5801, "wasm", "~LABEL/NAME");
    }
}
