package org.tamanoir.cli;

import org.tamanoir.qos.domain.DomainSetup;
import org.tamanoir.qos.domain.TcProgram;
import picocli.CommandLine.Option;

/** Which interface, and in which form to answer. */
final class QosInterface {
    @Option(names = "--interface", required = true, paramLabel = "DEV", description = "The interface whose sending is divided.")
    private String device;

    @Option(names = "--json", description = "Prints one object.")
    private boolean json;

    DomainSetup setup() {
        return new DomainSetup(new TcProgram(), device);
    }

    String device() {
        return device;
    }

    boolean json() {
        return json;
    }
}
