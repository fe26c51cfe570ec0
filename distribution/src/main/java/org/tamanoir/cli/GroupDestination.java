package org.tamanoir.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A multicast group as the destination of a copy: {@code tamanoir multicast send} in other words. */
final class GroupDestination {
    private static final String SCHEME = "dyram://";
    /** What the options are called there. */
    private static final Map<String, String> WORDS = Map.of("--receivers", "--expect", "--members", "--members", "--interface", "--interface", "--secret", "--secret",
            "--via", "--via", "--rate", "--rate", "--patience", "--patience", "--json", "--json", "--services", "--services");
    private static final List<String> OWN = List.of("--receivers", "--members", "--interface", "--secret", "--services");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--receivers", paramLabel = "N", description = "For a group: how many receivers there will be.")
    private String receivers;

    @Option(names = "--members", paramLabel = "FILE", description = "For a group: file with the names of the receivers, one per line; no others are admitted.")
    private String members;

    @Option(names = "--interface", paramLabel = "DEV", description = "For a group: the network interface for multicast. Default: chosen by the routes.")
    private String networkInterface;

    @Option(names = "--secret", paramLabel = "FILE", description = "For a group: file with the secret that source and receivers share. Default: none.")
    private String secret;

    @Option(names = "--services", paramLabel = "LIST", description = "For a group: what nodes may do against losses, such as detect,aggregate,subcast,elect; 'tamanoir multicast send --help' lists the "
            + "names. Default: everything they support.")
    private String services;

    /** Whether it is one. */
    static boolean is(String place) {
        return place.startsWith(SCHEME);
    }

    /** Refuses options that only a group has. */
    void refuse() {
        given().stream().filter(option -> OWN.contains(option.longestName())).findFirst().ifPresent(option -> {
            throw new ParameterException(spec.commandLine(), option.longestName() + " is for a group as the destination: " + SCHEME + "239.1.2.3");
        });
    }

    private List<OptionSpec> given() {
        return spec.commandLine().getParseResult().matchedOptions();
    }

    /** Sends files, and directories under their names. @param places the last one is the group @return the exit code */
    int send(List<String> places) {
        List<String> words = new ArrayList<>(List.of("multicast", "send", "--group", places.get(places.size() - 1).substring(SCHEME.length())));
        for (OptionSpec option : given()) {
            String word = WORDS.get(option.longestName());
            if (word == null) {
                throw new ParameterException(spec.commandLine(), option.longestName() + " says nothing about a group: it is for copies to files and movers");
            }
            words.add(word);
            words.addAll(option.arity().max() == 0 ? List.of() : values(option));
        }
        if (!words.contains("--rate") || !words.contains("--expect") && !words.contains("--members")) {
            throw new ParameterException(spec.commandLine(), "a group needs a --rate, and --receivers or --members");
        }
        words.add("--");
        for (String source : places.subList(0, places.size() - 1)) {
            if (source.contains("://")) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "'" + source + "' is not on this machine: what is sent to a group is");
            }
            // That name stands for standard input there.
            words.add(source.equals("-") ? "./-" : source);
        }
        String[] arguments = words.toArray(String[]::new);
        return Tamanoir.commandLine(arguments).setOut(spec.commandLine().getOut()).setErr(spec.commandLine().getErr()).execute(arguments);
    }

    private List<String> values(ArgSpec option) {
        if (option.originalStringValues().size() > 1) {
            throw new ParameterException(spec.commandLine(), "a group is reached by one node: give --via once");
        }
        return option.originalStringValues();
    }
}
