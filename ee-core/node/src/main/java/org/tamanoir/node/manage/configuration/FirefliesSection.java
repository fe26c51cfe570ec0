package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.within;

import java.net.InetSocketAddress;
import org.tamanoir.node.firefly.FireflySettings;
import org.tamanoir.settings.BadSetting;

/** {@code fireflies:} of the configuration: which collector of SciTags is told of each flow; see {@link FireflySettings}. */
public record FirefliesSection(InetSocketAddress to, Integer experiment, Integer activity, Integer rate, Boolean label) {
    private static final int MOST_RATE = 100_000;

    public FirefliesSection {
        if (to == null) {
            throw new BadSetting("to", "it is missing; it must be HOST:PORT of a collector, whose port is " + FireflySettings.PORT + " as a rule");
        }
        if (experiment == null) {
            throw new BadSetting("experiment", "it is missing; it must be a number of the registry of SciTags, from 1 to " + FireflySettings.MOST_EXPERIMENT);
        }
        label = or(label, false);
        within("experiment", experiment, 1, label ? FireflySettings.MOST_LABELLED : FireflySettings.MOST_EXPERIMENT);
        activity = or(within("activity", activity, 0, FireflySettings.MOST_ACTIVITY), FireflySettings.ACTIVITY);
        rate = or(within("rate", rate, 1, MOST_RATE), FireflySettings.RATE);
    }

    FireflySettings settings() {
        return new FireflySettings(to, experiment, activity, rate, label);
    }
}
