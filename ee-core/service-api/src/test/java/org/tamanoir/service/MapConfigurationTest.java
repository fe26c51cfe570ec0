package org.tamanoir.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;

/** The addresses among the options of a service. */
class MapConfigurationTest {
    private static Configuration options(String text) {
        return new MapConfiguration("cache", Map.of("neighbours", text));
    }

    @Test
    void addressesStandWithCommasOrSpacesBetween() {
        assertThat(options(" 10.0.1.1:3322, [2001:db8::1]:65535\n10.0.1.2:1 ").addresses("neighbours")).containsExactly(new InetSocketAddress("10.0.1.1", 3322),
                new InetSocketAddress("2001:db8::1", 65535), new InetSocketAddress("10.0.1.2", 1));
        assertThat(options(" ").addresses("neighbours")).isEmpty();
        assertThat(options("10.0.1.1:3322").addresses("members")).as("not set").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.1.1", "10.0.1.1:", "10.0.1.1:0", "10.0.1.1:65536", "10.0.1:3322", "10.0.1.256:3322", "2001:db8::1:3322", "[2001:db8::1]", "[10.0.1.1]:3322:1",
            "node1.example.org:3322", "[]:3322", ":3322", "10.0.1.1:+322"})
    void anythingElseIsRefusedByTheNameOfTheOption(String wrong) {
        assertThat(MapConfiguration.address(wrong)).isNull();
        assertThatThrownBy(() -> options("10.0.1.2:1, " + wrong).addresses("neighbours")).isInstanceOf(AnepException.class).hasMessageContaining("EE-501")
                .hasMessageContaining("cache: neighbours is '" + wrong + "'");
    }
}
