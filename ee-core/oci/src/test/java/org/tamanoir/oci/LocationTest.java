package org.tamanoir.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class LocationTest {
    @ParameterizedTest
    @CsvSource({
        "oci://registry.example/grid/services,       https://registry.example",
        "oci://registry.example:5000/grid,           https://registry.example:5000",
        "OCI://Registry.Example/grid,                https://registry.example",
        "oci+http://registry.example:5000/grid,      http://registry.example:5000",
        "oci://127.0.0.1:5000/grid,                  http://127.0.0.1:5000",
        "oci://localhost:5000/grid,                  http://localhost:5000",
        "oci://[::1]:5000/grid,                      http://[::1]:5000",
        "oci+https://127.0.0.1:5000/grid,            https://127.0.0.1:5000",
        "oci://127.0.0.1.example:5000/grid,          https://127.0.0.1.example:5000"})
    void plainHttpIsForThisMachineOrForWhoeverSaysSo(String url, String origin) {
        assertThat(Location.parse(url).origin()).hasToString(origin);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "registry.example/grid", "https://registry.example/grid", "oci://registry.example", "oci://registry.example/", "oci://registry.example/Grid",
        "oci://registry.example/grid//x", "oci://registry.example/../x", "oci://registry.example/grid?x=1", "oci://user:secret@registry.example/grid", "oci://registry.example:99999/grid",
        "oci://registry.example:0/grid", "oci://registry.example/grid/", "oci://registry.example/grid:tag", "oci://-/grid", "oci://registry_x/grid", "oci://registry.example/g\nrid", "oci:///grid"})
    void whatIsNoPlaceInARegistryIsRefused(String url) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Location.parse(url)).extracting(AnepException::code).isEqualTo(ErrorCode.BAD_CONFIGURATION);
    }

    @Test
    void aNameHasItsBound() {
        Location.parse("oci://registry.example/" + "x".repeat(255));
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> Location.parse("oci://registry.example/" + "x".repeat(256)));
    }

    @Test
    void answersLeadFromHttpsToHttpsOnly() {
        Location secure = Location.parse("oci://registry.example/grid");
        assertThat(secure.mayLeadTo(URI.create("https://store.example/x"))).isTrue();
        assertThat(secure.mayLeadTo(URI.create("http://registry.example/x"))).isFalse();
        assertThat(secure.mayLeadTo(URI.create("https://user@store.example/x"))).isFalse();
        assertThat(secure.mayLeadTo(URI.create("file:///etc/passwd"))).isFalse();
        assertThat(Location.parse("oci+http://registry.example/grid").mayLeadTo(URI.create("http://store.example/x"))).isTrue();
    }

    @Test
    void theSameRegistryIsTheSameSchemeHostAndPort() {
        Location at = Location.parse("oci://registry.example/grid");
        assertThat(at.isOrigin(URI.create("https://REGISTRY.example:443/x"))).isTrue();
        assertThat(at.isOrigin(URI.create("https://registry.example:444/x"))).isFalse();
        assertThat(at.isOrigin(URI.create("http://registry.example:443/x"))).isFalse();
        assertThat(at.isOrigin(URI.create("https://registry.example.evil/x"))).isFalse();
    }

    /** A service's name may be what is no name in a registry. */
    @Property(tries = 300)
    void everyServiceHasAPlaceOfItsOwn(@ForAll @Chars({'a', '1', '.', '_', '-'}) @StringLength(min = 1, max = 8) String one,
            @ForAll @Chars({'a', '1', '.', '_', '-'}) @StringLength(min = 1, max = 8) String other) {
        Location at = Location.parse("oci://registry.example/grid");
        Location place = at.of(one);
        assertThat(Location.parse("oci://registry.example/" + place.name())).isEqualTo(place);
        assertThat(place.equals(at.of(other))).isEqualTo(one.equals(other));
    }

    /** Those of guests have two parts, and each may be what is no name in a registry. */
    @Property(tries = 1000)
    void everyServiceOfAGuestHasAPlaceOfItsOwn(@ForAll("names") String one, @ForAll("names") String other) {
        Location at = Location.parse("oci://registry.example/grid");
        Location place = at.of(one);
        assertThat(Location.parse("oci://registry.example/" + place.name())).isEqualTo(place);
        assertThat(place.equals(at.of(other))).isEqualTo(one.equals(other));
    }

    @Provide
    Arbitrary<String> names() {
        Arbitrary<String> part = Arbitraries.oneOf(Arbitraries.of("guest", "escaped", "cms", "612e2e62", "a..b", "a-", "escaped-"),
                Arbitraries.strings().withChars("a1._-").ofMinLength(1).ofMaxLength(4).filter(text -> Character.isLetterOrDigit(text.charAt(0))));
        return Arbitraries.oneOf(part, Combinators.combine(part, part).as((label, name) -> "~" + label + "/" + name));
    }

    @Test
    void anOrdinaryNameStaysAsItIs() {
        assertThat(Location.parse("oci://registry.example/grid").of("qos-meter").name()).isEqualTo("grid/qos-meter");
        assertThat(Location.parse("oci://registry.example/grid").of("a..b").name()).isEqualTo("grid/escaped/612e2e62");
        assertThat(Location.parse("oci://registry.example/grid").of("~cms/filter").name()).isEqualTo("grid/guest/cms/filter");
        assertThat(Location.parse("oci://registry.example/grid").of("~a..b/filter").name()).isEqualTo("grid/guest/escaped/612e2e62/filter");
    }
}
