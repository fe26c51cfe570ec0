package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir transfer}: copies between movers that a queue has made. */
@Command(name = "transfer", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Queue copies between movers, and see them through, whatever crashes on the way.",
        subcommands = {TransferRun.class, TransferSubmit.class, TransferCommand.ListAll.class, TransferCommand.Show.class, TransferCommand.Why.class, TransferCommand.Cancel.class},
        footer = {"", "Example:", "  tamanoir transfer submit --by 06:00 tam://10.1.0.9:3335/run7 tam://10.2.0.9:3335/run7"})
final class TransferCommand {
    static final String QUEUE = "http://127.0.0.1:3336";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

    private TransferCommand() {
    }

    /** Which queue, with which token. */
    static final class QueueOptions {
        @Option(names = "--queue", paramLabel = "URL", defaultValue = QUEUE, description = "The queue: where 'tamanoir transfer run' listens. Default: ${DEFAULT-VALUE}.")
        private String url;

        @Mixin
        private TokenOptions token;

        @Mixin
        private TlsOptions tls;

        /** @throws org.tamanoir.anep.AnepException EE-408 if it is no URL, EE-501 if a certificate or token is of no use */
        HttpFetch fetch() {
            return tls.of(HttpFetch.of(url, ErrorCode.NO_QUEUE).token(token.token()));
        }
    }

    /** A time as it is shown. @param text as the queue says it; null for none */
    static String time(JsonNode text) {
        return text.isTextual() ? TIME.format(Instant.parse(text.asText())) : "-";
    }

    static String size(JsonNode octets) {
        return octets.isNumber() ? Units.bytes(octets.asDouble()) : "-";
    }

    /** One to the queue. */
    abstract static class QueueQuestion extends Question {
        @Mixin
        private QueueOptions queue;

        @Override
        final HttpFetch server() {
            return queue.fetch();
        }
    }

    /** One about one transfer. */
    abstract static class QuestionOfOne extends QueueQuestion {
        @Parameters(paramLabel = "ID", description = "The id that 'submit' printed.")
        private String id;

        final String path() {
            return "/transfers/" + HttpFetch.segment(id);
        }
    }

    /** {@code tamanoir transfer list}. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "List open transfers, and the latest that have ended.",
            footer = {"", "Example:", "  tamanoir transfer list --open", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class ListAll extends QueueQuestion {
        @Option(names = "--open", description = "Only open transfers.")
        private boolean open;

        @Override
        JsonNode ask(HttpFetch fetch) {
            JsonNode all = fetch.json("/transfers");
            if (open) {
                for (var each = all.elements(); each.hasNext();) {
                    if (java.util.Set.of("done", "failed", "cancelled").contains(each.next().path("state").asText())) {
                        each.remove();
                    }
                }
            }
            return Json.object("transfers", all);
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Table table = new Table("ID", "STATE", "SIZE", "DONE", "RATE", "LEFT", "BY", "FROM", "TO");
            for (JsonNode one : answer.path("transfers")) {
                JsonNode progress = one.path("progress");
                long octets = progress.path("octets").asLong();
                table.row(one.path("id").asText(), one.path("state").asText(), size(one.path("octets")),
                        octets == 0 ? "-" : Math.min(100, (progress.path("moved").asLong() + progress.path("resumed").asLong()) * 100 / octets) + " %",
                        progress.isObject() ? Units.bitRate(8 * progress.path("octetsPerSecond").asDouble()) : "-",
                        progress.hasNonNull("secondsLeft") ? progress.path("secondsLeft").asLong() + " s" : "-", time(one.path("by")), one.path("from").asText(), one.path("destination").asText());
            }
            table.print(out);
        }
    }

    /** {@code tamanoir transfer show}. */
    @Command(name = "show", mixinStandardHelpOptions = true, description = "Show everything about a transfer: its progress, rate and attempts.",
            footer = {"", "Example:", "  tamanoir transfer show t-17", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Show extends QuestionOfOne {
        @Override
        JsonNode ask(HttpFetch fetch) {
            return fetch.json(path());
        }

        @Override
        void print(JsonNode one, PrintWriter out) {
            out.printf("%s        %s since %s%n", one.path("id").asText(), one.path("state").asText(), time(one.path("since")));
            one.path("sources").forEach(source -> out.printf("from       %s%n", source.asText()));
            out.printf("to         %s%n", one.path("destination").asText());
            out.printf("submitted  %s, priority %d, %s%n", time(one.path("submitted")), one.path("priority").asInt(), size(one.path("octets")));
            if (one.hasNonNull("by")) {
                out.printf("by         %s%s%n", time(one.path("by")), one.path("promised").asBoolean() ? "" : ", not promised");
            }
            JsonNode progress = one.path("progress");
            if (progress.isObject()) {
                out.printf("progress   %d of %d files, %s sent, %s were there, of %s; %s%s%n", progress.path("files").asLong(), progress.path("ofFiles").asLong(), size(progress.path("moved")),
                        size(progress.path("resumed")), size(progress.path("octets")), Units.bitRate(8 * progress.path("octetsPerSecond").asDouble()),
                        progress.hasNonNull("secondsLeft") ? ", " + progress.path("secondsLeft").asLong() + " s left" : "");
            }
            JsonNode forecast = one.path("forecast");
            if (forecast.isObject()) {
                out.printf("forecast   complete about %s, before %s in 95 of 100 cases%n", time(forecast.path("ends")), time(forecast.path("endsSurely")));
            }
            for (JsonNode attempt : one.path("attempts")) {
                out.printf("attempt    %s to %s, %s: %s%n", time(attempt.path("began")), time(attempt.path("ended")), size(attempt.path("moved")),
                        attempt.path("why").asText().isEmpty() ? "complete" : attempt.path("why").asText());
            }
            JsonNode report = one.path("report");
            if (report.isObject()) {
                out.printf("report     %d files copied, %d were there, %d not copied, %s%n", report.path("files").asLong(), report.path("present").asLong(), report.path("failures").asLong(),
                        size(report.path("octets")));
                report.path("failed").forEach(failure -> out.printf("           not copied: %s: %s%n", failure.path("path").asText(), failure.path("why").asText()));
            }
        }
    }

    /** {@code tamanoir transfer why}. */
    @Command(name = "why", mixinStandardHelpOptions = true,
            description = "Explain the state of a transfer: what it is waiting for, why it failed, or whether it will be on time and on what figures that rests.",
            footer = {"", "Example:", "  tamanoir transfer why t-17", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Why extends QuestionOfOne {
        @Override
        JsonNode ask(HttpFetch fetch) {
            return fetch.json(path() + "/why");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.printf("%s is %s.%n", answer.path("id").asText(), answer.path("state").asText());
            answer.path("why").forEach(sentence -> out.println(sentence.asText()));
        }
    }

    /** {@code tamanoir transfer cancel}. */
    @Command(name = "cancel", mixinStandardHelpOptions = true, description = "Cancel a transfer. What has arrived stays, and a new transfer resumes from it.",
            footer = {"", "Example:", "  tamanoir transfer cancel t-17", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Cancel extends QuestionOfOne {
        @Override
        JsonNode ask(HttpFetch fetch) {
            return fetch.delete(path());
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.printf("%s is cancelled%n", answer.path("id").asText());
        }
    }
}
