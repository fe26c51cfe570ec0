package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.collective.GroupMember;
import org.tamanoir.collective.Reduction;
import org.tamanoir.collective.Signature;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir collect}: one member of a group does one operation. */
@Command(name = "collect", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Perform one collective operation with the other members of a group, and exit when all have done so (services/collect/README.md). SIZE "
                + "programs name the same group, each with its own rank, counted from 0.",
            "barrier waits for all members. sum, min, max and product print one number per VALUE. gather prints every member's contribution in the "
                    + "order of ranks, broadcast that of rank --from. quantiles prints the value at each --percent."},
        footer = {"", "Example:", "  tamanoir collect barrier --via localhost:3322 --to 10.0.1.1:3322 --group night --rank 3 --size 16", "", "Exit codes: " + ExitCode.EXPLAINED})
final class CollectCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";

    /** What a member can do here. */
    enum What {
        BARRIER, SUM, MIN, MAX, PRODUCT, GATHER, BROADCAST, QUANTILES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "OPERATION", description = "One of ${COMPLETION-CANDIDATES}.")
    private What what;

    @Parameters(index = "1..*", paramLabel = "VALUE", description = "This member's numbers; for gather and broadcast the file with its contribution, - for standard input.")
    private List<String> values = List.of();

    @Mixin
    private RootOptions root;

    @Option(names = "--group", required = true, paramLabel = "NAME", description = "The group's name: 1 to 128 characters without spaces.")
    private String group;

    @Option(names = "--rank", required = true, paramLabel = "N", description = "The rank of this member, counted from 0.")
    private int rank;

    @Option(names = "--size", required = true, paramLabel = "N", description = "How many members the group has; the same for all of them.")
    private int size;

    @Option(names = "--epoch", paramLabel = "N", defaultValue = "1", description = "The epoch, one higher after each failure; the same for all members. Default: ${DEFAULT-VALUE}.")
    private long epoch;

    @Option(names = "--from", paramLabel = "RANK", defaultValue = "0", description = "The rank whose file is broadcast. Default: ${DEFAULT-VALUE}.")
    private int from;

    @Option(names = "--percent", paramLabel = "P", split = ",", defaultValue = "50,90,99", description = "Quantiles to print, 0 to 100. Default: ${DEFAULT-VALUE}.")
    private List<Integer> percents;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check(size >= 1 && rank >= 0 && rank < size, "--rank is from 0 to " + (size - 1));
        check(from >= 0 && from < size, "--from is a rank");
        check(percents.stream().allMatch(each -> each >= 0 && each <= 100), "--percent is from 0 to 100");
        boolean file = what == What.GATHER || what == What.BROADCAST && rank == from;
        check(!file || values.size() == 1, what + " takes one file");
        check(file || what == What.QUANTILES || values.isEmpty() == (what == What.BARRIER || what == What.BROADCAST), what == What.BARRIER || what == What.BROADCAST ? what + " takes no values here"
                : "Missing required parameter: 'VALUE'");
        byte[] own = file ? content(values.get(0)) : numbers();
        try (TamanoirClient client = new TamanoirClient(); GroupMember member = GroupMember.join(client, root.way(client), group, epoch, size, rank)) {
            run(member, own);
            member.leave();
        }
        return ExitCode.DONE;
    }

    private void check(boolean right, String otherwise) {
        if (!right) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private static byte[] content(String name) throws IOException {
        return name.equals(STANDARD_INPUT) ? System.in.readAllBytes() : Files.readAllBytes(Path.of(name));
    }

    private byte[] numbers() {
        ByteBuffer out = ByteBuffer.allocate(values.size() * Double.BYTES);
        for (String value : values) {
            try {
                out.putDouble(Double.parseDouble(value));
            } catch (NumberFormatException e) {
                throw new ParameterException(spec.commandLine(), "'" + value + "' is no number", e);
            }
        }
        return out.array();
    }

    private void run(GroupMember member, byte[] own) throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        switch (what) {
            case BARRIER -> member.barrier();
            case SUM, MIN, MAX, PRODUCT -> {
                double[] numbers = new double[values.size()];
                ByteBuffer.wrap(own).asDoubleBuffer().get(numbers);
                Arrays.stream(member.allReduce(Reduction.valueOf(what.name()), numbers)).forEach(each -> out.println(plain(each)));
            }
            case GATHER -> member.gather(Signature.ALL, own).values().forEach(each -> out.print(text(each)));
            case BROADCAST -> out.print(text(member.broadcast(from, own)));
            case QUANTILES -> {
                ByteBuffer result = ByteBuffer.wrap(member.run(Signature.quantiles(), own).octets());
                percents.forEach(percent -> out.println(percent + " " + plain(result.getDouble((2 + percent) * Double.BYTES))));
            }
        }
        out.flush();
    }

    private static String text(byte[] octets) {
        return new String(octets, StandardCharsets.UTF_8);
    }

    /** Whole numbers without a point. */
    private static String plain(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1L << 53 ? Long.toString((long) value) : Double.toString(value);
    }
}
