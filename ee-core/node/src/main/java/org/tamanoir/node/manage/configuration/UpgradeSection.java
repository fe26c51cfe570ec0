package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.Values.or;
import static org.tamanoir.node.manage.configuration.Values.positive;

import java.time.Duration;
import org.tamanoir.node.deploy.LineSettings;

/** {@code upgrade:} of the configuration: how a new version of a service takes the place of an old one; see {@link LineSettings}. */
public record UpgradeSection(Duration drain, Duration probation, Integer probationStreams, Integer failures) {
    private static final LineSettings PRESET = LineSettings.defaults();

    public UpgradeSection {
        drain = or(drain, PRESET.drain());
        probation = or(probation, PRESET.probation());
        probationStreams = or(positive("probation-streams", probationStreams), PRESET.probationStreams());
        failures = or(positive("failures", failures), PRESET.failures());
    }

    LineSettings settings(Duration remember) {
        return new LineSettings(drain, probation, probationStreams, failures, remember);
    }

    /** {@code drain} as it stands in a file. */
    public String drainText() {
        return Values.text(drain);
    }
}
