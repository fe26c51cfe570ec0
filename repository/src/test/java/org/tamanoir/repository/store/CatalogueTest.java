package org.tamanoir.repository.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import aQute.bnd.version.Version;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;

/** The rules of publishing, against a list that is searched from its beginning to its end; and as many versions as a repository takes. */
class CatalogueTest {
    /** What is done to a catalogue. */
    record Step(Entry entry, boolean isRetired, boolean isWithOthers) {
    }

    private static Entry entry(String name, int typeId, String version, int variant, String publisher) {
        // No other has the same content: name and version are in it.
        BigInteger content = new BigInteger(1, (name + typeId + version + "." + variant).getBytes(US_ASCII));
        return new Entry(name, typeId, version, "middle", String.format("%064x", content), 1, "2026-01-01T00:00:00Z", false, publisher, publisher);
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Entry> entries = Combinators.combine(Arbitraries.of("a", "b", "c"), Arbitraries.integers().between(0x5501, 0x5503), Arbitraries.of("1.0.0", "1.2.0", "1.10.0", "2.0.0.x"),
                Arbitraries.integers().between(0, 2), Arbitraries.of("CN=one", "CN=two").injectNull(0.5))
                .as(CatalogueTest::entry);
        return Combinators.combine(entries, Arbitraries.of(true, false, false), Arbitraries.of(true, false, false)).as(Step::new).list().ofMaxSize(40);
    }

    /** The rules, said once more. */
    private static Optional<String> refusal(List<Entry> all, Entry entry) {
        for (Entry other : all) {
            boolean isSame = other.name().equals(entry.name());
            if (isSame != (other.typeId() == entry.typeId()) || isSame && other.publisher() != null && !other.publisher().equals(entry.publisher())) {
                return Optional.of("EE-403");
            }
        }
        return all.stream().anyMatch(other -> other.name().equals(entry.name()) && other.version().equals(entry.version()) && !other.sha256().equals(entry.sha256()))
                ? Optional.of("EE-404") : Optional.empty();
    }

    @Property(tries = 500)
    void followsTheRules(@ForAll("steps") List<Step> steps) {
        List<Entry> model = new ArrayList<>();
        Catalogue catalogue = Catalogue.EMPTY;
        for (Step step : steps) {
            Entry entry = step.entry();
            Optional<Entry> there = model.stream().filter(each -> each.name().equals(entry.name()) && each.version().equals(entry.version())).findFirst();
            Catalogue before = catalogue;
            Entry expected = null;
            try {
                if (step.isRetired()) {
                    expected = there.isEmpty() ? null : there.get().withRetired(true);
                    catalogue = before.retire(entry.name(), entry.version());
                } else if (step.isWithOthers()) {
                    boolean isKnown = model.stream().anyMatch(each -> each.sha256().equals(entry.sha256()));
                    expected = isKnown ? there.get() : refusal(model, entry).isPresent() ? null : entry;
                    catalogue = before.publishAll(new Catalogue(0, List.of(entry)));
                } else {
                    expected = refusal(model, entry).isPresent() ? null : there.isEmpty() ? entry
                            : there.get().publisher() == null && entry.publisher() != null ? entry : there.get().withRetired(false);
                    catalogue = before.publish(entry);
                }
                assertThat(expected).as("taken: %s", step).isNotNull();
            } catch (AnepException e) {
                assertThat(expected).as("refused: %s, %s", step, e.getMessage()).isNull();
                assertThat(e.code().toString()).isEqualTo(step.isRetired() ? "EE-407" : refusal(model, entry).orElseThrow());
                continue;
            }
            boolean isChanged = there.isEmpty() || !there.get().equals(expected);
            there.ifPresent(model::remove);
            model.add(expected);
            assertThat(catalogue.revision()).isEqualTo(before.revision() + (isChanged ? 1 : 0));
            assertThat(catalogue == before).isEqualTo(!isChanged);
            model.sort(Comparator.comparing(Entry::name).thenComparing(each -> Version.parseVersion(each.version())));
            assertThat(catalogue.entries()).isEqualTo(model).isEqualTo(new Catalogue(0, model).entries());
            assertThat(catalogue.find(entry.name(), entry.version())).contains(expected);
            assertThat(catalogue.content(expected.sha256())).contains(expected);
            assertThat(catalogue.versions(entry.name())).isEqualTo(model.stream().filter(each -> each.name().equals(entry.name())).toList());
        }
    }

    @Test
    void takesAsManyVersionsAsItSaysAndNoMore() {
        List<Entry> all = IntStream.range(0, Catalogue.MAX_ENTRIES).mapToObj(i -> entry("s" + i / 32, 0x5501 + i / 32, "1." + i % 32 + ".0", 0, null)).toList();
        Catalogue full = Catalogue.EMPTY.publishAll(new Catalogue(7, all));
        assertThat(full.entries()).hasSize(Catalogue.MAX_ENTRIES);
        assertThat(full.revision()).isEqualTo(8);
        assertThat(full.publish(all.get(5))).isSameAs(full);
        assertThatThrownBy(() -> full.publish(entry("s0", 0x5501, "2.0.0", 0, null))).hasMessageStartingWith("EE-409").hasMessageContaining("16384");
    }
}
