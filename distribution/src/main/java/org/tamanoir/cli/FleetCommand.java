package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Console;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.tamanoir.cli.fleet.FleetFolder;
import org.tamanoir.cli.fleet.FleetText;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir fleet}: the configuration of many nodes. */
@Command(name = "fleet", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = {"Manage the configuration of many nodes: a folder of files, applied ring by ring.", "docs/fleet.md shows how to set up a first fleet in ten minutes."},
        subcommands = {FleetCommand.Plan.class, FleetCommand.Apply.class, FleetStatus.class, FleetCommand.Rollback.class},
        footer = {"", "Example:", "  tamanoir fleet plan fleet/ --repository http://repository.example:3325"})
final class FleetCommand {
    private FleetCommand() {
    }

    /** What the commands have in common. */
    abstract static class Asking implements Callable<Integer> {
        @Spec
        private CommandSpec spec;
        @Mixin
        private RepositoryOptions repository;
        @Mixin
        private TokenOptions tokens;
        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        final HttpFetch server() {
            return repository.fetch().token(tokens.token());
        }

        final PrintWriter out() {
            return spec.commandLine().getOut();
        }

        final PrintWriter err() {
            return spec.commandLine().getErr();
        }

        final boolean isJson() {
            return json;
        }

        /** Asks who is at the terminal. @throws ParameterException if nobody is */
        final boolean agreed(String question) {
            Console console = System.console();
            if (console == null) {
                throw new ParameterException(spec.commandLine(), "nobody is asked without a terminal: say --yes");
            }
            String answer = console.readLine("%s [y/N] ", question);
            return answer != null && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
        }
    }

    /** Who changes something calls themselves so; the server adds what it has proof of. */
    private static String by() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "unknown";
        }
        return System.getProperty("user.name") + "@" + host;
    }

    private static ObjectNode said(String why) {
        return JsonNodeFactory.instance.objectNode().put("by", by()).put("why", why);
    }

    private static JsonNode read(Path folder, boolean unchecked) {
        JsonNode state = FleetFolder.read(folder);
        if (!unchecked) {
            FleetFolder.check(state);
        }
        return state;
    }

    private static ObjectNode wish(JsonNode state) {
        return JsonNodeFactory.instance.objectNode().set("state", state);
    }

    /** {@code tamanoir fleet plan}. */
    @Command(name = "plan", mixinStandardHelpOptions = true,
            description = "Show what a folder would change, node by node and key by key, compared to what each node should have now. Changes nothing.",
            footer = {"", "Example:", "  tamanoir fleet plan fleet/ --repository http://repository.example:3325", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Plan extends Asking {
        @Parameters(paramLabel = "DIR", description = "The folder with fleet.yaml, groups/ and nodes/.")
        private Path folder;
        @Option(names = "--unchecked", description = "Do not check whether a node would accept its part: it may contain names that only nodes know.")
        private boolean unchecked;
        @Option(names = "--exit-code", description = "Exit with 1 if anything would change.")
        private boolean exitCode;

        @Override
        public Integer call() {
            JsonNode plan = server().post("/fleet/plan", wish(read(folder, unchecked)));
            if (isJson()) {
                Json.print(out(), plan);
            } else {
                FleetText.plan(plan, out());
            }
            boolean changes = !plan.path("changes").isEmpty() || !plan.path("revoked").isEmpty();
            return exitCode && changes ? ExitCode.FAILED : ExitCode.DONE;
        }
    }

    /** {@code tamanoir fleet apply}. */
    @Command(name = "apply", mixinStandardHelpOptions = true,
            description = {"Make a folder the fleet's next generation, and roll it out ring by ring.",
                "Shows the plan and asks first. If somebody else applies a change in the meantime, nothing is changed (EE-641)."},
            footer = {"", "Examples:", "  tamanoir fleet apply fleet/ --why 'routes for Lyon'", "  tamanoir fleet apply fleet/ --yes --generation 7 --wait --repository http://repository.example:3325",
                "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Apply extends Asking {
        @Parameters(paramLabel = "DIR", description = "The folder with fleet.yaml, groups/ and nodes/.")
        private Path folder;
        @Option(names = "--yes", description = "Do not ask for confirmation.")
        private boolean yes;
        @Option(names = "--generation", paramLabel = "N", description = "Change nothing unless this is still the newest generation: the base of an earlier plan with --json. Default: the newest when the "
                + "command starts.")
        private Long generation;
        @Option(names = "--why", paramLabel = "TEXT", description = "A comment that others see. Default: none.")
        private String why;
        @Option(names = "--at-once", description = "Roll out to all rings at once.")
        private boolean atOnce;
        @Option(names = "--wait", description = "Wait for the roll-out to complete, and exit with 1 if it stops.")
        private boolean wait;
        @Option(names = "--unchecked", description = "Do not check whether a node would accept its part: it may contain names that only nodes know.")
        private boolean unchecked;

        @Override
        public Integer call() {
            HttpFetch server = server();
            JsonNode state = read(folder, unchecked);
            JsonNode plan = server.post("/fleet/plan", wish(state));
            if (!isJson()) {
                FleetText.plan(plan, out());
            }
            if (!yes && !agreed("Apply?")) {
                err().println("nothing was changed");
                return ExitCode.FAILED;
            }
            ObjectNode wish = said(why == null ? "" : why).put("atOnce", atOnce);
            wish.set("state", state);
            long base = generation == null ? plan.path("base").asLong() : generation;
            return applied(this, server, server.ifMatch("\"" + base + "\"").putJson("/fleet/state", wish), wait);
        }
    }

    /** {@code tamanoir fleet rollback}. */
    @Command(name = "rollback", mixinStandardHelpOptions = true,
            description = {"Make an earlier generation the next one.", "All nodes get it at once, since they have had it before; with --rings, ring by ring."},
            footer = {"", "Example:", "  tamanoir fleet rollback --to 6 --yes --wait", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Rollback extends Asking {
        @Option(names = "--to", paramLabel = "N", description = "The generation. Default: the one before the newest.")
        private Long to;
        @Option(names = "--yes", description = "Do not ask for confirmation.")
        private boolean yes;
        @Option(names = "--rings", description = "Roll out ring by ring.")
        private boolean rings;
        @Option(names = "--why", paramLabel = "TEXT", description = "A comment that others see. Default: none.")
        private String why;
        @Option(names = "--wait", description = "Wait for the roll-out to complete, and exit with 1 if it stops.")
        private boolean wait;

        @Override
        public Integer call() {
            HttpFetch server = server();
            long newest = server.json("/fleet/status").path("generation").path("number").asLong();
            long wanted = to == null ? newest - 1 : to;
            JsonNode state = server.json("/fleet/generations/" + wanted).path("state");
            if (!isJson()) {
                FleetText.plan(server.post("/fleet/plan", wish(state)), out());
            }
            if (!yes && !agreed("Go back to generation " + wanted + "?")) {
                err().println("nothing was changed");
                return ExitCode.FAILED;
            }
            ObjectNode wish = said(why == null ? "back to generation " + wanted : why).put("to", wanted).put("rings", rings);
            return applied(this, server, server.ifMatch("\"" + newest + "\"").post("/fleet/rollback", wish), wait);
        }
    }

    private static int applied(Asking command, HttpFetch server, JsonNode answer, boolean wait) {
        boolean changed = answer.path("changed").asBoolean();
        if (!command.isJson()) {
            command.out().println(changed ? "generation " + answer.path("generation").path("number").asLong() + " of " + answer.path("generation").path("who").asText() : "nothing was changed");
            command.out().flush();
        }
        if (wait && changed) {
            return new FleetRollout(server, command.out(), command.err(), command.isJson()).follow();
        }
        if (command.isJson()) {
            Json.print(command.out(), answer);
        }
        return ExitCode.DONE;
    }
}
