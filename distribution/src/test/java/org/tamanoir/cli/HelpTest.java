package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
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

    @Test
    void aCommandOfCommandsAloneIsAMistakeInItsUse() throws Exception {
        for (String group : List.of("node", "repository", "service", "anep")) {
            Launched alone = Launched.here(group);
            assertThat(alone.exit()).as(group).isEqualTo(Exit.USAGE);
            assertThat(alone.err()).contains("See 'tamanoir " + group + " --help'");
        }
    }

    private static Stream<CommandLine> commands(CommandLine line) {
        return Stream.concat(Stream.of(line), line.getSubcommands().values().stream().flatMap(HelpTest::commands))
                .filter(command -> !FOREIGN.contains(command.getCommandName()));
    }
}
