package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.cli.tuf.MetadataServer;
import org.tamanoir.cli.tuf.PublisherRole;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service}: the list of its commands. */
@Command(name = "service", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Manage services: bundles, repositories, and services on a node.",
        subcommands = {ServiceNew.class, ServiceNext.class, ServiceCommand.Listing.class, ServiceCommand.Show.class, ServicePack.class, ServiceTry.class, ServicePush.class, ServiceCommand.Retire.class, ServiceInspect.class,
            ServiceSign.class, ServiceDeploy.class, ServiceUpgrade.class, ServiceCommand.Undeploy.class},
        footer = {"", "Example:", "  tamanoir service push services/*/target/*.jar"})
final class ServiceCommand {

    /** {@code tamanoir service list}. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "List what a repository holds, including retired versions.",
            footer = {"", "Example:", "  tamanoir service list --repository http://repository.example:3325", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Listing implements Runnable {
        @Spec
        private CommandSpec spec;
        @Mixin
        private RepositoryOptions repository;
        @Option(names = "--json", description = "Print one JSON object: services.")
        private boolean json;

        @Override
        public void run() {
            PrintWriter out = spec.commandLine().getOut();
            JsonNode answer = repository.fetch().json("/services");
            if (json) {
                Json.print(out, answer);
                return;
            }
            ServiceTable.print(answer, out);
        }
    }

    /** {@code tamanoir service undeploy}. */
    @Command(name = "undeploy",
            description = {"Remove a service from a node and its store: new streams do not get it, open ones finish or are ended after the drain time.", "If a stream asks for it later, the node fetches it again if a source has it."},
            footer = {"", "Example:", "  tamanoir service undeploy compression --version 0.1.0", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Undeploy extends NodeQuery {
        @Parameters(paramLabel = "NAME", description = "The service.")
        private String name;
        // Not by mixinStandardHelpOptions: picocli leaves out all of it where a command has a --version of its own.
        @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help message and exit.")
        private boolean help;

        @Option(names = "--version", paramLabel = "VERSION", description = "Only this version. Default: all.")
        private String version;

        @Override
        JsonNode ask() {
            return patientApi().delete("/services/" + HttpFetch.segment(ServiceName.segment(name)) + (version == null ? "" : "?version=" + HttpFetch.segment(version)));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            NodeServiceTable table = new NodeServiceTable();
            answer.path("services").forEach(table::add);
            table.print(out);
        }
    }

    /** {@code tamanoir service show}. */
    @Command(name = "show", mixinStandardHelpOptions = true, description = "Show the versions of one service, oldest first.",
            footer = {"", "Example:", "  tamanoir service show compression", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Show implements Runnable {
        @Spec
        private CommandSpec spec;
        @Mixin
        private RepositoryOptions repository;
        @Parameters(paramLabel = "NAME", description = "The service.")
        private String name;
        @Option(names = "--json", description = "Print one JSON object: name, typeId, versions.")
        private boolean json;

        @Override
        public void run() {
            PrintWriter out = spec.commandLine().getOut();
            JsonNode answer = repository.fetch().json("/services/" + HttpFetch.segment(ServiceName.segment(name)));
            if (json) {
                Json.print(out, answer);
                return;
            }
            ServiceTable.print(answer, out);
        }
    }

    /** {@code tamanoir service retire}. */
    @Command(name = "retire", mixinStandardHelpOptions = true,
            description = {"Remove one version from the index, so that no node fetches it again.",
                "The bundle stays available to nodes that know its hash, and name and Type ID stay reserved. Pushing the same bundle publishes it again.",
                "If the repository publishes TUF metadata, the publisher must sign this, with --keystore."},
            footer = {"", "Examples:", "  tamanoir service retire compression 0.1.0", "  tamanoir service retire --keystore publisher.p12 compression 0.1.0", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Retire implements Runnable {
        @Spec
        private CommandSpec spec;
        @Mixin
        private RepositoryOptions repository;
        @Mixin
        private TokenOptions tokens;
        @ArgGroup(exclusive = false, heading = "The publisher's key:%n")
        private KeystoreOptions keystore;
        @Mixin
        private RepositoryTuf.RootOption root;
        @Mixin
        private RepositoryTuf.LifeOptions life;
        @Parameters(index = "0", paramLabel = "NAME", description = "The service.")
        private String name;
        @Parameters(index = "1", paramLabel = "VERSION", description = "The version.")
        private String version;
        @Option(names = "--json", description = "Print one JSON object: the version.")
        private boolean json;

        @Override
        public void run() {
            PrintWriter out = spec.commandLine().getOut();
            HttpFetch fetch = repository.fetch().token(tokens.token());
            String path = "/services/" + HttpFetch.segment(ServiceName.segment(name)) + "/" + HttpFetch.segment(version);
            JsonNode entry;
            if (keystore == null) {
                entry = fetch.delete(path);
            } else {
                new PublisherRole(new MetadataServer(fetch), keystore.key(), root.octets(), life.life()).retire(name, version);
                entry = fetch.json(path);
            }
            if (json) {
                Json.print(out, entry);
                return;
            }
            ServiceTable table = new ServiceTable();
            table.add(entry);
            table.print(out);
        }
    }
}
