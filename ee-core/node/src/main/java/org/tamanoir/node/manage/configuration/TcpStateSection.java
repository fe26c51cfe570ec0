package org.tamanoir.node.manage.configuration;

import static org.tamanoir.node.manage.configuration.ConfigurationValues.or;
import static org.tamanoir.node.manage.configuration.ConfigurationValues.within;

import java.time.Duration;
import org.tamanoir.node.tcpstate.TcpStateSettings;
import org.tamanoir.settings.BadSetting;

/** {@code tcp-state:} of the configuration: how often the TCP state of streams is read; see {@link TcpStateSettings}. */
public record TcpStateSection(Boolean sample, Duration period, Duration fastPeriod, Long fastRate, Integer reads, Long memory) {
    private static final TcpStateSettings PRESET = TcpStateSettings.PRESET;
    private static final Duration LEAST = Duration.ofMillis(100);
    private static final Duration MOST = Duration.ofMinutes(1);
    private static final int MOST_READS = 1_000_000;
    private static final long MOST_MEMORY = 1L << 40;

    public TcpStateSection {
        sample = or(sample, PRESET.sample());
        fastPeriod = between("fast-period", or(fastPeriod, PRESET.fastPeriod()), LEAST);
        period = between("period", or(period, PRESET.period()), fastPeriod);
        fastRate = or(within("fast-rate", fastRate, 0, Long.MAX_VALUE), PRESET.fastRate());
        reads = or(within("reads", reads, 2, MOST_READS), PRESET.reads());
        memory = or(within("memory", memory, 0, MOST_MEMORY), PRESET.memory());
    }

    private static Duration between(String key, Duration time, Duration least) {
        if (time.compareTo(least) < 0 || time.compareTo(MOST) > 0) {
            throw new BadSetting(key, "it is " + ConfigurationValues.text(time) + "; it must be from " + ConfigurationValues.text(least) + " to " + ConfigurationValues.text(MOST));
        }
        return time;
    }

    TcpStateSettings settings() {
        return new TcpStateSettings(sample, period, fastPeriod, fastRate, reads, memory);
    }
}
