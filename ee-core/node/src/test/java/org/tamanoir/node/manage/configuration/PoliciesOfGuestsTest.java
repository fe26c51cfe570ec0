package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;

class PoliciesOfGuestsTest {
    @TempDir
    private Path directory;

    private NodeConfiguration read(String text) throws IOException {
        return NodeConfiguration.read(Files.writeString(directory.resolve("node.yaml"), text));
    }

    private static ServicePolicy policy(NodeConfiguration configuration, String service) {
        return configuration.policy(service, FailurePolicy.RESTART);
    }

    @Test
    void guestsHaveStricterPresets() throws IOException {
        NodeConfiguration bare = read("development: true\n");
        assertThat(policy(bare, "~cms/filter").streams()).isEqualTo(100);
        assertThat(policy(bare, "~cms/filter").memoryBytes()).isEqualTo(64 << 20);
        assertThat(policy(bare, "filter").streams()).isEqualTo(Integer.MAX_VALUE);
        assertThat(bare.limits().guestServices()).isEqualTo(8);
    }

    @Test
    void theMoreParticularKeyGoesOverTheLessParticular() throws IOException {
        NodeConfiguration some = read("development: true\npolicies:\n  '~cms/filter': {streams: 200}\n  '~*': {streams: 50, memory-bytes: 1000}\n  '~cms/*': {timeout: 100ms, streams: 70}\n"
                + "  filter: {streams: 3}\nlimits: {guest-services: 4}\n");
        assertThat(policy(some, "~cms/filter").streams()).isEqualTo(200);
        assertThat(policy(some, "~cms/filter").timeout()).isEqualTo(Duration.ofMillis(100));
        assertThat(policy(some, "~cms/filter").memoryBytes()).isEqualTo(1000);
        assertThat(policy(some, "~cms/other").streams()).isEqualTo(70);
        assertThat(policy(some, "~atlas/filter").streams()).isEqualTo(50);
        assertThat(policy(some, "~atlas/filter").timeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy(some, "filter").streams()).isEqualTo(3);
        assertThat(some.limits().guestServices()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"~", "~cms", "~*/*", "~cms/f*", "~../x"})
    void whatNamesNoServiceOfAGuestIsRefused(String key) {
        assertThatThrownBy(() -> read("development: true\npolicies:\n  '" + key + "': {streams: 1}\n")).hasMessageContaining("EE-501").hasMessageContaining("~LABEL/NAME");
    }

    @Test
    void aListOfGuestsNeedsOneOfPublishers() throws IOException {
        NodeConfiguration both = read("development: true\nguests: guests.pem\n");
        assertThatThrownBy(both::trustStore).hasMessageContaining("EE-501").hasMessageContaining("guests needs trust");
    }
}
