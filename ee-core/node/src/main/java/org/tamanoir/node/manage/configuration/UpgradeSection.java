package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.positive;

import java.time.Duration;
import org.tamanoir.node.deploy.LifecycleSettings;

/** {@code upgrade:} of the configuration: how a new version of a service takes the place of an old one; see {@link LifecycleSettings}. */
public record UpgradeSection(Duration drain, Duration probation, Integer probationStreams, Integer failures) {
    private static final LifecycleSettings PRESET = LifecycleSettings.defaults();

    public UpgradeSection {
        drain = or(drain, PRESET.drain());
        probation = or(probation, PRESET.probation());
        probationStreams = or(positive("probation-streams", probationStreams), PRESET.probationStreams());
        failures = or(positive("failures", failures), PRESET.failures());
    }

    LifecycleSettings settings(Duration remember) {
        return new LifecycleSettings(drain, probation, probationStreams, failures, remember);
    }

    /** {@code drain} as it stands in a file. */
    public String drainText() {
        return ConfigurationValues.text(drain);
    }
}
