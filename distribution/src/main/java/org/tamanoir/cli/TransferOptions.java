package org.tamanoir.cli;

import java.util.List;
import org.tamanoir.cli.Units.Size;
import org.tamanoir.transfer.Extent;
import org.tamanoir.transfer.copy.CopyOptions;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What of the sources is copied, and in which streams: the same for who copies and for who has a queue do it. */
final class TransferOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--service", split = ",", paramLabel = "NAME", description = "The services of the nodes, in order. Default: forward.")
    private List<String> services = List.of("forward");

    @Option(names = "--streams", paramLabel = "N", defaultValue = "8", description = "Maximum number of streams, 1 to 64; only as many are used as help. Default: ${DEFAULT-VALUE}.")
    private int streams;

    @Option(names = "--extent", paramLabel = "SIZE", converter = Size.class, defaultValue = "8M",
            description = "Maximum size of an extent, which is sent, checked and synced as a unit: 64K to 64M. Default: ${DEFAULT-VALUE}.")
    private long extent;

    @Option(names = "--include", paramLabel = "PATTERN", description = "Copy only files that match: *.root, or run7/** below the source. Can be given several times.")
    private List<String> include = List.of();

    @Option(names = "--exclude", paramLabel = "PATTERN", description = "Skip files and directories that match. Can be given several times.")
    private List<String> exclude = List.of();

    @Option(names = "--update", description = "Skip files that are newer at the destination.")
    private boolean update;

    @Option(names = "--sha256", description = "Read source and copy of each file again, and compare their SHA-256.")
    private boolean sha256;

    /** @throws ParameterException for what no copy can have */
    void check() {
        if (streams < 1 || streams > CopyOptions.MOST_STREAMS || extent < Extent.SMALLEST || extent > Extent.LARGEST) {
            throw new ParameterException(spec.commandLine(), "--streams is from 1 to 64, --extent from 64K to 64M");
        }
    }

    List<String> services() {
        return services;
    }

    int streams() {
        return streams;
    }

    int extent() {
        return (int) extent;
    }

    List<String> include() {
        return include;
    }

    List<String> exclude() {
        return exclude;
    }

    boolean update() {
        return update;
    }

    boolean sha256() {
        return sha256;
    }
}
