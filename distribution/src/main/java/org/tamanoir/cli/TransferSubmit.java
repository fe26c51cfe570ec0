package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cli.EntryOptions.NodeName;
import org.tamanoir.cli.Units.BitRate;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.transfer.daemon.TransferApi.Submission;
import org.tamanoir.transfer.queue.TransferRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code tamanoir transfer submit}. */
@Command(name = "submit", mixinStandardHelpOptions = true,
        description = {"Add a transfer to the queue, and print its id once it is on the queue's disk. Sources and destination are as in 'tamanoir copy', all "
                + "on movers.", "",
            "With a deadline or a rate it says at once if that cannot be met, judging from earlier transfers between the two hosts and from what is "
                    + "in the queue; then it is not submitted, unless --anyway is given."},
        footer = {"", "Example:", "  tamanoir transfer submit --by 06:00 --priority 2 tam://10.1.0.9:3335/run7 tam://10.2.0.9:3335/run7", "", "Exit codes: " + ExitCode.EXPLAINED})
final class TransferSubmit implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private TransferCommand.QueueOptions queue;

    @Option(names = "--by", paramLabel = "TIME", converter = Moment.class, description = "Deadline: 06:00 (the next one), 2026-11-26, 2026-11-26T06:00, optionally with a zone, or 2h from now.")
    private ZonedDateTime by;

    @Option(names = "--rate", paramLabel = "BITS", converter = BitRate.class, description = "Minimum rate in bits per second, such as 2G.")
    private long rate;

    @Option(names = "--steady", description = "Transfer at the rate of --rate and not faster.")
    private boolean steady;

    @Option(names = "--anyway", description = "Submit it even if its deadline or rate cannot be met; it is then treated as if it had none.")
    private boolean anyway;

    @Option(names = "--priority", paramLabel = "N", defaultValue = "0", description = "Priority from -12 to 12; a step is worth an hour in the queue. Default: ${DEFAULT-VALUE}.")
    private int priority;

    @Option(names = "--via", paramLabel = "[tls://]HOST:PORT", converter = NodeName.class, description = "The first node of the streams between the movers. Can be given several times. Default: connect directly.")
    private List<NodeAddress> via = List.of();

    @Mixin
    private TransferOptions how;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Parameters(arity = "2..*", paramLabel = "PLACE", description = "One or more sources, all on the same movers, and as the last one the destination: tam://HOST:PORT[,HOST:PORT...]/PATH.")
    private List<String> places;

    /** A time of day, a day, both, or how long from now. */
    static final class Moment implements picocli.CommandLine.ITypeConverter<ZonedDateTime> {
        @Override
        public ZonedDateTime convert(String text) {
            ZonedDateTime now = ZonedDateTime.now();
            try {
                if (text.matches("\\d{1,2}:\\d{2}(:\\d{2})?")) {
                    ZonedDateTime today = now.with(LocalTime.parse(text.indexOf(':') == 1 ? "0" + text : text));
                    return today.isAfter(now) ? today : today.plusDays(1);
                } else if (text.matches("\\d{4}-\\d{2}-\\d{2}")) {
                    return LocalDate.parse(text).atStartOfDay(now.getZone());
                } else if (text.matches("\\d{4}-.*T.*(Z|[+-]\\d{2}:\\d{2})")) {
                    return OffsetDateTime.parse(text).toZonedDateTime();
                } else if (text.matches("\\d{4}-.*T.*")) {
                    return LocalDateTime.parse(text).atZone(now.getZone());
                }
                return now.plus(MapConfiguration.parseDuration("the time", text));
            } catch (DateTimeException | AnepException e) {
                throw new TypeConversionException("'" + text + "' is no time: write 06:00, 2026-11-26T06:00 or 2h");
            }
        }
    }

    @Override
    public Integer call() {
        how.check();
        TransferRequest request = new TransferRequest(places.subList(0, places.size() - 1), places.get(places.size() - 1), via.stream().map(NodeAddress::toString).toList(), how.services(),
                how.streams(), how.extent(), how.include(), how.exclude(), how.update(), how.sha256(), priority, by == null ? 0 : by.toInstant().toEpochMilli(), rate / 8, steady);
        JsonNode answer = queue.fetch().post("/transfers", new Submission(request, anyway));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, answer);
            return ExitCode.DONE;
        }
        out.println(answer.path("id").asText());
        out.flush();
        if (request.isTimed()) {
            spec.commandLine().getErr().println(!answer.path("promised").asBoolean() ? "not promised: it goes as one without a time"
                    : answer.hasNonNull("expected") ? answer.path("expected").asText() : "nothing can be forecast: nothing has been measured between these hosts yet, or the source does not say how large it is");
        }
        return ExitCode.DONE;
    }
}
