package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.node.trace.TraceSettings;
import org.tamanoir.node.trace.TraceSettings.Follow;
import org.tamanoir.settings.Settings;

class TracesSectionTest {
    private static Settings settings() {
        return Settings.none().set("traces.endpoint", "http://127.0.0.1:4318/");
    }

    @Test
    void nothingIsRecordedUnlessItIsSaid() {
        assertThat(NodeConfiguration.of(Settings.none()).traceSettings()).isNull();
        assertThat(NodeConfiguration.of(settings()).traceSettings()).isEqualTo(new TraceSettings("http://127.0.0.1:4318", 0.01, 10, Follow.ALL, "tamanoir"));
        assertThat(NodeConfiguration.of(settings().set("traces.follow", "peers").set("traces.ratio", 1).set("traces.name", "lyon")).traceSettings())
                .isEqualTo(new TraceSettings("http://127.0.0.1:4318", 1, 10, Follow.PEERS, "lyon"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "traces.ratio | 1.5 | traces.ratio: it is 1.5; it must be from 0 to 1",
        "traces.per-second | 0 | traces.per-second: it is 0; it must be from 1 to 10000",
        "traces.follow | some | traces.follow: it is 'some'; it is one of all, peers, none",
        "traces.endpoint | 127.0.0.1:4318 | traces.endpoint",
        "traces.endpoint | ftp://127.0.0.1 | traces.endpoint: it is 'ftp://127.0.0.1'; it must be http://HOST:PORT",
        "traces.endpoint | http://127.0.0.1:4318/v1/traces | traces.endpoint",
        "traces.none | 1 | traces.none: there is no such key"})
    void whatIsWrongIsNamed(String key, String value, String message) {
        Settings settings = settings().set(key, value);
        assertThatThrownBy(() -> NodeConfiguration.of(settings)).hasMessageContaining(message);
    }
}
