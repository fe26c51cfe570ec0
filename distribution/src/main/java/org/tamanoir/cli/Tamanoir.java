package org.tamanoir.cli;

import java.util.List;
import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import org.tamanoir.node.Node;
import org.tamanoir.transfer.copy.Plan;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code tamanoir}. */
@Command(name = "tamanoir", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = "Active nodes that apply services to ANEP streams.",
        footer = {"", "In a checkout there are also: test (every test), bench (beside the peers), package (a .deb) and install-api (for services outside it).", "",
            "Example:", "  tamanoir demo", "", "Exit codes: " + ExitCode.EXPLAINED})
public final class Tamanoir implements Runnable {
    /** Columns of a help text: no example is so long that it would be broken and could no longer be copied. */
    private static final int HELP_WIDTH = 120;
    private static final List<Class<?>> COMMANDS = List.of(DemoCommand.class, InitCommand.class, DoctorCommand.class, ConfigCommand.class, NodeCommand.class, RepositoryCommand.class, FleetCommand.class, FrontendCommand.class,
            ServiceCommand.class, StreamCommand.class, SendCommand.class, ReceiveCommand.class, CopyCommand.class, MoverCommand.class, TransferCommand.class, MulticastCommand.class, QosCommand.class, GatewayCommand.class, EndpointCommand.class, GatewayStatus.class, CacheCommand.class, ElectCommand.class, PublishCommand.class, SubscribeCommand.class, CollectCommand.class, ObservatoryCommand.class, ConsoleCommand.class, PathCommand.class, PathCommand.Cost.class, PathCommand.Choose.class, HostCommand.class, AnepCommand.class,
            HelpCommand.class, GenerateCompletion.class);
    private static final String NETTY_EVENTS = "io.netty.jfr.enabled";
    private static final String NETTY_LEAKS = "io.netty.leakDetection.samplingInterval";
    private static final String GROOVY = "picocli.disable.closures";

    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        // Not System.exit for 0 from a server: it is over only when the server has stopped.
        System.exit(run(arguments));
    }

    /** @return the exit code */
    static int run(String... arguments) {
        quickenLibraries();
        LogSetup.use();
        // The log gets ready while the arguments are read, and after it what a node needs before all else.
        Thread log = beside("tamanoir-log", LoggerFactory::getILoggerFactory);
        Runnable preparation = preparation(List.of(arguments));
        if (preparation != null) {
            beside("tamanoir-prepare", () -> {
                await(log);
                preparation.run();
            });
        }
        int exit = commandLine(arguments).setExecutionStrategy(parsed -> {
            // Threads that log before it is ready would have it complain on the terminal.
            await(log);
            return new CommandLine.RunLast().execute(parsed);
        }).execute(arguments);
        System.out.flush();
        return exit;
    }

    /** What a command does in any case, whatever its options say; null for nothing. */
    private static Runnable preparation(List<String> arguments) {
        List<String> words = arguments.subList(0, Math.min(2, arguments.size()));
        if (words.equals(List.of("node", "run"))) {
            return Node::prepare;
        }
        // The first copy would wait for a mover, too.
        boolean moves = words.equals(List.of("mover", "run")) || arguments.indexOf("copy") == 0 && arguments.stream().anyMatch(argument -> argument.startsWith("tam://"));
        return moves ? Plan::prepare : null;
    }

    private static Thread beside(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void await(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Netty's pools tell Java Flight Recorder of every buffer, whether somebody records or not; merely to get ready for it takes the first
     * stream of a process a tenth of a second. And one buffer of 128 is followed to find leaks, with a stack trace of its making: 2 % of the
     * time of a loop that reads datagrams; one of 8,192 finds them, too. And picocli looks for a class of Groovy in each of a hundred jars. Only before the
     * classes of both are loaded; who wants it otherwise sets the properties himself.
     */
    private static void quickenLibraries() {
        System.getProperties().putIfAbsent(NETTY_EVENTS, "false");
        System.getProperties().putIfAbsent(NETTY_LEAKS, "8192");
        System.getProperties().putIfAbsent(GROOVY, "true");
    }

    /** The whole command tree: the commands of this module and those that other modules on the class path add. */
    public static CommandLine commandLine() {
        return commandLine(new String[0]);
    }

    /** The same without what these arguments do not need: to read the annotations of all commands takes longer than the rest of a short one. */
    static CommandLine commandLine(String[] arguments) {
        CommandLine line = new CommandLine(new Tamanoir());
        if (!add(line, COMMANDS, List.of(arguments))) {
            COMMANDS.forEach(line::addSubcommand);
            ServiceLoader.load(AddedCommand.class).forEach(line::addSubcommand);
        }
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpWidth(HELP_WIDTH);
        line.setExecutionExceptionHandler(ExitCode::report);
        line.setParameterExceptionHandler(ExitCode::usage);
        return line;
    }

    /**
     * Adds the one command that the arguments name. A group on the way to it is a name alone: what it says of itself is asked only without
     * a command of its own.
     *
     * @return whether they name one
     */
    private static boolean add(CommandLine line, List<Class<?>> commands, List<String> arguments) {
        Class<?> named = arguments.isEmpty() ? null : commands.stream().filter(command -> isNamed(command, arguments.get(0))).findFirst().orElse(null);
        if (named != null) {
            CommandLine group = new CommandLine(CommandSpec.create().name(arguments.get(0)));
            List<Class<?>> members = List.of(named.getAnnotation(Command.class).subcommands());
            line.addSubcommand(add(group, members, arguments.subList(1, arguments.size())) ? group : named);
        }
        return named != null;
    }

    /** {@code help} tells of all the others. */
    private static boolean isNamed(Class<?> command, String name) {
        return command != HelpCommand.class && command != GenerateCompletion.class && command.getAnnotation(Command.class).name().equals(name);
    }

    @Override
    public void run() {
        spec.commandLine().usage(System.out);
    }

    /** A command of another module, found by {@link ServiceLoader}; its class carries {@link Command}. */
    public interface AddedCommand {
    }

    /** {@code tamanoir anep}: tools for the wire format. */
    @Command(name = "anep", mixinStandardHelpOptions = true, subcommands = AnepDecode.class, synopsisSubcommandLabel = "COMMAND",
            description = "Inspect packets.",
            footer = {"", "Example:", "  tamanoir anep decode stream.anep"})
    static final class AnepCommand {
    }

    /** {@code tamanoir multicast}: files to many receivers at once. */
    @Command(name = "multicast", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
            description = "Send files to many receivers at once (DyRAM), or receive them.",
            subcommands = {MulticastSend.class, MulticastReceive.class},
            footer = {"", "Example:", "  tamanoir multicast send --group 239.1.2.3 --via localhost:3322 --expect 12 --rate 50M results.tar"})
    static final class MulticastCommand {
    }
}
