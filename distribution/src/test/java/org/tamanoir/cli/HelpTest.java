package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HelpTest {
    /** picocli's own commands bring their own words. */
    private static final List<String> FOREIGN = List.of("help", "generate-completion");

    @Test
    void everyCommandHasAnExampleThatCanBeCopiedAsItStands() {
        assertThat(commands(Tamanoir.commandLine()).toList()).hasSizeGreaterThan(20).allSatisfy(command -> {
            String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
            String[] examples = command.getCommandSpec().usageMessage().footer();
            assertThat(help).as(command.getCommandName()).contains("Example");
            assertThat(examples).filteredOn(line -> line.startsWith("  ")).isNotEmpty()
                    .allSatisfy(example -> assertThat(help).as("in one line").contains(String.format(example)));
        });
    }

    /** Wrong: an option of a command's own that takes the place of one that all have. */
    @Test
    void everyCommandHelpsWhoeverAsksIt() {
        assertThat(commands(Tamanoir.commandLine()).toList()).allSatisfy(command -> {
            String name = command.getCommandSpec().qualifiedName();
            StringWriter said = new StringWriter();
            command.setOut(new PrintWriter(said)).setErr(new PrintWriter(said));
            assertThat(command.execute("--help")).as("%s --help: %s", name, said).isZero();
            assertThat(said.toString()).as(name).startsWith("Usage: " + name);
        });
    }

    /** A command that is asked for is read without the others: it must not show. */
    @Test
    @Tag("long")
    void aCommandSaysTheSameWithoutTheOthers() {
        CommandLine all = Tamanoir.commandLine();
        assertThat(commands(Tamanoir.commandLine()).toList()).allSatisfy(command -> {
            String name = command.getCommandSpec().qualifiedName();
            String[] path = Stream.of(name.split(" ")).skip(1).toArray(String[]::new);
            for (String option : List.of("--help", "--no-such-option")) {
                String[] arguments = Stream.concat(Stream.of(path), Stream.of(option)).toArray(String[]::new);
                assertThat(said(Tamanoir.commandLine(arguments), arguments)).as("%s %s", name, option)
                        .isEqualTo(said(all, arguments));
            }
        });
    }

    private static String said(CommandLine line, String... arguments) {
        StringWriter said = new StringWriter();
        int exit = line.setOut(new PrintWriter(said)).setErr(new PrintWriter(said)).execute(arguments);
        return exit + ": " + said;
    }

    @Test
    void aCommandOfCommandsAloneIsAMistakeInItsUse() throws Exception {
        for (String group : List.of("node", "repository", "service", "anep")) {
            Launched alone = Launched.here(group);
            assertThat(alone.exit()).as(group).isEqualTo(ExitCode.USAGE);
            assertThat(alone.err()).contains("See 'tamanoir " + group + " --help'");
        }
    }

    @Test
    void aLookThatTakesNoTimeOrNeverComesIsAMistakeInItsUse() throws Exception {
        for (String[] wrong : new String[][] {{"--interval", "0"}, {"--interval", "-1"}, {"--count", "0"}}) {
            Launched top = Launched.here("node", "top", wrong[0], wrong[1]);
            assertThat(top.exit()).as(String.join(" ", wrong)).isEqualTo(ExitCode.USAGE);
            assertThat(top.err()).contains("at least 1").doesNotContain("\tat ");
        }
    }

    /** CONTRIBUTING.md, "a command". Wrong: a default that help does not tell, that is another than the one in force, or that is in other words. */
    @Test
    void everyDefaultEndsItsDescription() {
        assertThat(commands(Tamanoir.commandLine()).flatMap(command -> command.getCommandSpec().args().stream())).hasSizeGreaterThan(200).allSatisfy(arg -> {
            String said = String.join(" ", arg.description());
            String name = arg.command().qualifiedName() + " " + arg + ": " + said;
            assertThat(said).as(name).doesNotContainIgnoringCase("preset").doesNotContainPattern("[Dd]efault(s to|[ (=]is|ing)|[Bb]y default|Default[^:]");
            boolean takesValue = arg.arity().max() > 0;
            if (takesValue && arg.defaultValue() != null || said.contains("Default: ")) {
                assertThat(said).as(name).containsPattern("Default: [^ ].*\\.$");
            }
            // 0 stands for what is worked out: the words say it.
            if (takesValue && arg.defaultValue() != null && !arg.defaultValue().equals("0") && !arg.defaultValue().equals(".")) {
                assertThat(said).as(name).containsPattern("Default: " + Pattern.quote(arg.defaultValue()) + "[.,:; ]");
            }
        });
    }

    private static Stream<CommandLine> commands(CommandLine line) {
        return Stream.concat(Stream.of(line), line.getSubcommands().values().stream().flatMap(HelpTest::commands))
                .filter(command -> !FOREIGN.contains(command.getCommandName()));
    }
}
