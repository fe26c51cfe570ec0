package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceNameTest {
    @ParameterizedTest
    @ValueSource(strings = {"monitoring", "a", "0.1", "~cms/filter", "~a/b", "~cms.example.org/x_1-2.3", "~1/2", "~a../b.."})
    void takesNames(String name) {
        assertThat(ServiceName.isName(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Monitoring", "cms/filter", "~", "~/x", "~cms", "~cms/", "~cms/x/y", "~../x", "~.a/x", "~cms/..", "~cms/.x", "~cms/~x", "~~cms/x", "~CMS/x", "~cms/x ", "~cms/x\n",
        "~cms\\x", "~cms%2fx", "~c*/x", "~cms/*", "~ümlaut/x", "x~cms/y"})
    void refusesWhatCouldLeadElsewhere(String name) {
        assertThat(ServiceName.isName(name)).isFalse();
        assertThat(ServiceName.label(name)).isNull();
    }

    @Test
    void boundsBothParts() {
        String label = "l".repeat(ServiceName.MOST_LABEL);
        String longest = "~" + label + "/" + "n".repeat(64);
        assertThat(longest).hasSize(ServiceName.MOST);
        assertThat(ServiceName.isName(longest)).isTrue();
        assertThat(ServiceName.label(longest)).isEqualTo(label);
        assertThat(ServiceName.isName(longest + "n")).isFalse();
        assertThat(ServiceName.isName("~" + label + "l/n")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"monitoring", "~cms/filter", "~a-b.c/d_e", "a-b_c.d"})
    void isOneSegmentAndReadBack(String name) {
        String segment = ServiceName.segment(name);
        assertThat(segment).doesNotContain("/");
        assertThat(ServiceName.ofSegment(segment)).isEqualTo(name);
    }

    @Test
    void readsNothingElseOutOfASegment() {
        assertThat(ServiceName.ofSegment("~cms")).isEqualTo("~cms");
        assertThat(ServiceName.ofSegment("cms~x")).isEqualTo("cms~x");
        assertThat(ServiceName.isName(ServiceName.ofSegment("~..~x"))).isFalse();
        assertThat(ServiceName.isName(ServiceName.ofSegment("~cms~x~y"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"~*", "~cms/*", "~cms/filter"})
    void hasPatterns(String pattern) {
        assertThat(ServiceName.isPattern(pattern)).isTrue();
        assertThat(ServiceName.isAmong(pattern, "~cms/filter")).isTrue();
        assertThat(ServiceName.isAmong(pattern, "filter")).isFalse();
        assertThat(ServiceName.isAmong(pattern, "cms")).isFalse();
        assertThat(ServiceName.isAmong(pattern, "~cms2/filter")).isEqualTo(pattern.equals("~*"));
        assertThat(ServiceName.isAmong(pattern, "~cms/filter2")).isEqualTo(!pattern.equals("~cms/filter"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "cms/*", "monitoring", "~", "~/*", "~*/x", "~*/*", "~c*/x", "~cms/f*", "~../*", "~cms/*/*", "~CMS/*", ""})
    void hasNoOtherPatterns(String pattern) {
        assertThat(ServiceName.isPattern(pattern)).isFalse();
    }

    @Test
    void partsTheTypeIds() {
        assertThat(ServiceName.isGuestType(0x57FF)).isFalse();
        assertThat(ServiceName.isGuestType(0x5800)).isTrue();
        assertThat(ServiceName.isGuestType(0x5FFF)).isTrue();
        assertThat(ServiceName.isGuestType(0x6000)).isFalse();
    }
}
