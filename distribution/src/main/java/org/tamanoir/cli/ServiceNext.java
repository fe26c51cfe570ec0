package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service next}. */
@Command(name = "next", mixinStandardHelpOptions = true,
        description = {"Raise the version of a service in its pom.xml.", "A published version never changes, so a changed service needs a new version before it is pushed again."},
        footer = {"", "Examples:", "  tamanoir service next", "  tamanoir service next services/shout --part minor", "", "Exit codes: " + ExitCode.EXPLAINED})
final class ServiceNext implements Callable<Integer> {
    private enum Part { major, minor, patch }

    /** The first version behind the artifact's own name: that of the parent stands before it. */
    private static final Pattern VERSION = Pattern.compile("(?s)\\A(.*?</parent>.*?<artifactId>\\s*([^<\\s]+)\\s*</artifactId>\\s*<version>\\s*)(\\d+)\\.(\\d+)\\.(\\d+)(\\s*</version>.*)\\z");

    @Spec
    private CommandSpec spec;
    @Parameters(arity = "0..1", paramLabel = "DIR", defaultValue = ".", description = "The folder of the service. Default: the current one.")
    private Path folder;
    @Option(names = "--part", paramLabel = "PART", defaultValue = "patch", description = "What to raise: major, minor or patch. Default: ${DEFAULT-VALUE}.")
    private Part part;
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        Path pom = folder.resolve("pom.xml");
        try {
            if (!Files.isRegularFile(pom)) {
                throw new AnepException(ErrorCode.NOT_FOUND, pom + " is not there; name the folder of a service");
            }
            Matcher found = VERSION.matcher(Files.readString(pom));
            if (!found.matches()) {
                throw new AnepException(ErrorCode.BAD_REQUEST, pom + " has no version of its own such as 0.1.0 behind its artifactId");
            }
            int[] numbers = {Integer.parseInt(found.group(3)), Integer.parseInt(found.group(4)), Integer.parseInt(found.group(5))};
            numbers[part.ordinal()]++;
            for (int i = part.ordinal() + 1; i < numbers.length; i++) {
                numbers[i] = 0;
            }
            String before = found.group(3) + "." + found.group(4) + "." + found.group(5);
            String next = numbers[0] + "." + numbers[1] + "." + numbers[2];
            Files.writeString(pom, found.group(1) + next + found.group(6));
            print(found.group(2), before, next);
            return ExitCode.DONE;
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, pom + " cannot be changed: " + AnepException.reason(e), e);
        }
    }

    private void print(String name, String before, String next) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("name", name);
            answer.put("from", before);
            answer.put("to", next);
            Json.print(out, answer);
            return;
        }
        out.printf("%s is version %s now, after %s. Build it, then:%n%n  tamanoir service push %s%n  tamanoir service upgrade %s%n", name, next, before,
                folder.normalize().resolve("target").resolve(name + "-" + next + ".jar"), name);
        out.flush();
    }
}
