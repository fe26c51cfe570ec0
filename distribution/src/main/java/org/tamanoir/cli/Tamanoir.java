package org.tamanoir.cli;

import java.util.List;
import java.util.ServiceLoader;
import picocli.AutoComplete.GenerateCompletion;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code tamanoir}. */
@Command(name = "tamanoir", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = "Active nodes that apply services to ANEP streams.",
        footer = {"", "In a checkout there are also: test (every test) and bench (beside the peers).", "",
            "Example:", "  tamanoir demo", "", "Exit codes: " + Exit.EXPLAINED})
public final class Tamanoir implements Runnable {
    /** Columns of a help text: no example is so long that it would be broken and could no longer be copied. */
    private static final int HELP_WIDTH = 120;
    private static final List<Class<?>> COMMANDS = List.of(DemoCommand.class, NodeCommand.class, RepositoryCommand.class, FrontendCommand.class,
            ServiceCommand.class, SendCommand.class, ReceiveCommand.class, MulticastCommand.class, QosCommand.class, GatewayCommand.class, AnepCommand.class,
            HelpCommand.class, GenerateCompletion.class);
    private static final String NETTY_EVENTS = "io.netty.jfr.enabled";

    @Spec
    private CommandSpec spec;

    public static void main(String[] arguments) {
        quickenNetty();
        // The log reads its configuration meanwhile, for a tenth of a second.
        Thread log = new Thread(LoggerFactory::getILoggerFactory, "tamanoir-log");
        log.setDaemon(true);
        log.start();
        int exit = commandLine(arguments).execute(arguments);
        System.out.flush();
        // Not System.exit for 0 from a server: run() of a server returns only when it has stopped.
        System.exit(exit);
    }

    /**
     * Netty's pools tell Java Flight Recorder of every buffer, whether somebody records or not; merely to get ready for it takes the first
     * stream of a process a tenth of a second. Only before Netty's classes are loaded; who wants the events sets the property himself.
     */
    static void quickenNetty() {
        if (System.getProperty(NETTY_EVENTS) == null) {
            System.setProperty(NETTY_EVENTS, "false");
        }
    }

    /** The whole command tree: the commands of this module and those that other modules on the class path add. */
    static CommandLine commandLine() {
        return commandLine(new String[0]);
    }

    /** The same without what these arguments do not need: to read the annotations of all commands takes longer than the rest of a short one. */
    static CommandLine commandLine(String[] arguments) {
        CommandLine line = new CommandLine(new Tamanoir());
        List<Class<?>> wanted = COMMANDS.stream().filter(command -> arguments.length > 0 && isNamed(command, arguments[0])).toList();
        (wanted.isEmpty() ? COMMANDS : wanted).forEach(line::addSubcommand);
        if (wanted.isEmpty()) {
            ServiceLoader.load(AddedCommand.class).forEach(line::addSubcommand);
        }
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpWidth(HELP_WIDTH);
        line.setExecutionExceptionHandler(Exit::report);
        line.setParameterExceptionHandler(Exit::usage);
        return line;
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
}
