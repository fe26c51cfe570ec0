package org.tamanoir.cli;

import java.time.Duration;
import org.tamanoir.cli.Units.Size;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.client.resumable.SessionSettings;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What streams that outlive their nodes may need: the same at both ends. */
final class SessionOptions {
    private static final long LEAST_RING = 64 << 10;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--ring", paramLabel = "SIZE", converter = Size.class, defaultValue = "16M",
            description = "Octets of one connection that may await acknowledgement: its rate times (round trip + 50 ms). Default: ${DEFAULT-VALUE}.")
    private long ring;

    @Option(names = "--ring-memory", paramLabel = "SIZE", converter = Size.class, defaultValue = "48M",
            description = "Octets that may wait for all connections together. Default: ${DEFAULT-VALUE}.")
    private long memory;

    @Option(names = "--window", paramLabel = "TIME", converter = Time.class, defaultValue = "60s",
            description = "How long a connection survives without a chain of nodes. Default: ${DEFAULT-VALUE}.")
    private Duration window;

    SessionSettings settings(int most) {
        if (ring < LEAST_RING || window.toSeconds() < 1) {
            throw new ParameterException(spec.commandLine(), "--ring is at least 64K, and --window at least 1s");
        }
        return new SessionSettings(ring, memory, window, most);
    }
}
