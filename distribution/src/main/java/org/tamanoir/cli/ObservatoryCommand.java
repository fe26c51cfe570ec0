package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir observatory}. */
@Command(name = "observatory", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = "The observatory: what is measured between sites, by whom, and with what results.",
        subcommands = {ObservatoryRun.class, ObservatoryCommand.PlanCommand.class, ObservatoryCommand.TopologyCommand.class, ObservatoryCommand.Theodolites.class, ObservatoryCommand.Release.class,
            ObservatoryCommand.Agenda.class},
        footer = {"", "Example:", "  tamanoir observatory plan put plan.yaml"})
final class ObservatoryCommand {
    static final String DEFAULT = "http://127.0.0.1:3337";
    private static final long MOST_TEXT = 16 << 20;

    private ObservatoryCommand() {
    }

    /** Which observatory, with which token. */
    static final class Options {
        @Option(names = "--observatory", paramLabel = "URL", defaultValue = DEFAULT, description = "Where 'tamanoir observatory run' listens. Default: ${DEFAULT-VALUE}.")
        private String url;

        @Mixin
        private TokenOptions token;

        @Mixin
        private TlsOptions tls;

        /** @throws AnepException EE-408 if it is no URL, EE-501 if a certificate or token is of no use */
        HttpFetch fetch() {
            return tls.of(HttpFetch.of(url, ErrorCode.NO_OBSERVATORY).token(token.token()));
        }
    }

    /** One to an observatory. */
    abstract static class ObservatoryQuestion extends Question {
        @Mixin
        private Options observatory;

        @Override
        final HttpFetch server() {
            return observatory.fetch();
        }
    }

    /** pSConfig's templates are JSON, plans are YAML. */
    static boolean isTemplate(Path file) {
        return file.getFileName().toString().endsWith(".json");
    }

    /** Puts a file in force. */
    abstract static class Put extends ObservatoryQuestion {
        @Parameters(paramLabel = "FILE", description = "The file.")
        private Path file;

        @Option(names = "--replaces", paramLabel = "VERSION", description = "Only if this version is in force, 0 for none; otherwise fail with EE-413.")
        private Long replaces;

        abstract String kind();

        @Override
        JsonNode ask(HttpFetch fetch) {
            HttpFetch conditional = replaces == null ? fetch : fetch.ifMatch("\"" + replaces + "\"");
            byte[] content = ObservatoryRun.text(file).getBytes(StandardCharsets.UTF_8);
            byte[] answer = conditional.put("/v1/documents/" + kind() + (kind().equals("plan") && isTemplate(file) ? "?format=psconfig" : ""), content, MOST_TEXT);
            return json(answer);
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.printf("version %d is in force%s%n", answer.path("version").asLong(), answer.has("sessions") ? ", with " + answer.path("sessions").asLong() + " sessions" : "");
            answer.path("notes").forEach(note -> out.println(note.asText()));
        }
    }

    private static JsonNode json(byte[] octets) {
        try {
            return new com.fasterxml.jackson.databind.ObjectMapper().readTree(octets);
        } catch (java.io.IOException e) {
            throw new AnepException(ErrorCode.NO_OBSERVATORY, "the observatory answers, but not as one does", e);
        }
    }

    /** Shows one version as it was put. */
    abstract static class Show implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Mixin
        private Options observatory;

        @Option(names = "--of", paramLabel = "VERSION", description = "The version. Default: the one in force.")
        private Long version;

        abstract String kind();

        @Override
        public Integer call() {
            byte[] content = observatory.fetch().bytes("/v1/documents/" + kind() + (version == null ? "" : "?version=" + version), MOST_TEXT);
            PrintWriter out = spec.commandLine().getOut();
            out.print(new String(content, StandardCharsets.UTF_8));
            out.flush();
            return ExitCode.DONE;
        }
    }

    /** Lists all versions. */
    abstract static class History extends ObservatoryQuestion {
        abstract String kind();

        @Override
        JsonNode ask(HttpFetch fetch) {
            return Json.object("versions", fetch.json("/v1/documents/" + kind() + "/history"));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Table table = new Table("VERSION", "PUT", "BY", "FORMAT");
            answer.path("versions").forEach(each -> table.row(each.path("version").asLong(), TransferCommand.time(each.path("time")), each.path("who").asText(), each.path("format").asText()));
            table.print(out);
        }
    }

    /** {@code tamanoir observatory plan}. */
    @Command(name = "plan", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = "Manage the plan: who measures what with whom.",
            subcommands = {PlanPut.class, PlanShow.class, PlanHistory.class}, footer = {"", "Example:", "  tamanoir observatory plan show"})
    static final class PlanCommand {
    }

    /** {@code tamanoir observatory plan put}. */
    @Command(name = "put", mixinStandardHelpOptions = true,
            description = "Put a plan into force; waiting theodolites get it at once. A file ending in .json is a pSConfig template. An invalid plan changes "
                    + "nothing.",
            footer = {"", "Example:", "  tamanoir observatory plan put plan.yaml", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class PlanPut extends Put {
        @Override
        String kind() {
            return "plan";
        }
    }

    /** {@code tamanoir observatory plan show}. */
    @Command(name = "show", mixinStandardHelpOptions = true, description = "Print a plan as it was submitted.", footer = {"", "Example:", "  tamanoir observatory plan show --of 3", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class PlanShow extends Show {
        @Override
        String kind() {
            return "plan";
        }
    }

    /** {@code tamanoir observatory plan history}. */
    @Command(name = "history", mixinStandardHelpOptions = true, description = "List the plans that were submitted, newest first.",
            footer = {"", "Example:", "  tamanoir observatory plan history", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class PlanHistory extends History {
        @Override
        String kind() {
            return "plan";
        }
    }

    /** {@code tamanoir observatory topology}. */
    @Command(name = "topology", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = "Manage the topology: which host belongs to which domain.",
            subcommands = {TopologyPut.class, TopologyShow.class, TopologyHistory.class}, footer = {"", "Example:", "  tamanoir observatory topology show"})
    static final class TopologyCommand {
    }

    /** {@code tamanoir observatory topology put}. */
    @Command(name = "put", mixinStandardHelpOptions = true, description = "Put a topology into force. An invalid one changes nothing.",
            footer = {"", "Example:", "  tamanoir observatory topology put topology.yaml", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class TopologyPut extends Put {
        @Override
        String kind() {
            return "topology";
        }
    }

    /** {@code tamanoir observatory topology show}. */
    @Command(name = "show", mixinStandardHelpOptions = true, description = "Print a topology as it was submitted.",
            footer = {"", "Example:", "  tamanoir observatory topology show", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class TopologyShow extends Show {
        @Override
        String kind() {
            return "topology";
        }
    }

    /** {@code tamanoir observatory topology history}. */
    @Command(name = "history", mixinStandardHelpOptions = true, description = "List the topologies that were submitted, newest first.",
            footer = {"", "Example:", "  tamanoir observatory topology history", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class TopologyHistory extends History {
        @Override
        String kind() {
            return "topology";
        }
    }

    /** {@code tamanoir observatory theodolites}. */
    @Command(name = "theodolites", mixinStandardHelpOptions = true, description = "List the registered theodolites, their owners, and when they last asked for runs; also those that the plan names but that have not "
            + "registered.",
            footer = {"", "Example:", "  tamanoir observatory theodolites", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Theodolites extends ObservatoryQuestion {
        @Override
        JsonNode ask(HttpFetch fetch) {
            return Json.object("theodolites", fetch.json("/v1/theodolites"));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Table table = new Table("NAME", "PLANNED", "REGISTERED", "SEEN", "ANEP", "SOFTWARE", "IDENTITY");
            answer.path("theodolites").forEach(each -> table.row(each.path("name").asText(), each.path("planned").asBoolean() ? "yes" : "no", TransferCommand.time(each.path("registered")),
                    TransferCommand.time(each.path("seen")), each.path("anep").asText("-"), each.path("software").asText("-"), identity(each)));
            table.print(out);
        }

        private static String identity(JsonNode theodolite) {
            String identity = theodolite.path("identity").asText();
            return !theodolite.hasNonNull("registered") ? "not registered" : identity.isEmpty() ? "released" : identity;
        }
    }

    /** {@code tamanoir observatory release}. */
    @Command(name = "release", mixinStandardHelpOptions = true, description = "Release the name of a theodolite to whoever registers it next, such as the same one with a new certificate.",
            footer = {"", "Example:", "  tamanoir observatory release naples", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Release extends ObservatoryQuestion {
        @Parameters(paramLabel = "NAME", description = "The theodolite.")
        private String name;

        @Override
        JsonNode ask(HttpFetch fetch) {
            fetch.delete("/v1/theodolites/" + HttpFetch.segment(name));
            return Json.object("released", TextNode.valueOf(name));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.println(name + " belongs to who registers it next");
        }
    }

    /** {@code tamanoir observatory agenda}. */
    @Command(name = "agenda", mixinStandardHelpOptions = true, description = "List the tests that reserve their path: past ones and why they failed or were skipped, running ones, and those to come.",
            footer = {"", "Example:", "  tamanoir observatory agenda", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Agenda extends ObservatoryQuestion {
        @Override
        JsonNode ask(HttpFetch fetch) {
            return fetch.json("/v1/agenda");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Table table = new Table("BEGINS", "ENDS", "STATE", "SESSION", "WHY");
            for (String part : new String[] {"past", "running", "future"}) {
                answer.path(part).forEach(each -> table.row(TransferCommand.time(each.path("begins")), TransferCommand.time(each.path("ends")), each.path("state").asText(), each.path("session").asText(),
                        each.path("reason").asText("")));
            }
            table.print(out);
            answer.path("load").properties().forEach(each -> {
                if (each.getValue().asDouble() > 1) {
                    out.printf(java.util.Locale.ROOT, "%s is asked for %.2f of its time: some of its runs are skipped%n", each.getKey(), each.getValue().asDouble());
                }
            });
        }
    }
}
