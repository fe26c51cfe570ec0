package org.tamanoir.transfer.daemon;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.queue.Transfer;

/** What is said once of each transfer that is over: a line of JSON in a file, and an event in the log. */
final class TransferRecord {
    private static final Logger LOG = LoggerFactory.getLogger(TransferRecord.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private TransferRecord() {
    }

    static Map<String, Object> of(Transfer over) {
        CopyReport report = over.report();
        long began = over.attempts().isEmpty() ? over.since() : over.attempts().get(0).began();
        long moved = over.attempts().stream().mapToLong(Transfer.Attempt::moved).sum();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("time", Instant.ofEpochMilli(over.since()).toString());
        fields.put("id", over.id());
        fields.put("state", over.state().name().toLowerCase(Locale.ROOT));
        fields.put("from", over.from());
        fields.put("to", over.to());
        fields.put("sources", over.request().sources());
        fields.put("destination", over.request().destination());
        fields.put("octets", report == null ? over.octets() : report.octets());
        fields.put("moved", moved);
        fields.put("files", report == null ? 0 : report.files());
        fields.put("present", report == null ? 0 : report.present());
        fields.put("failures", report == null ? 0 : report.failures());
        fields.put("submitted", Instant.ofEpochMilli(over.submitted()).toString());
        fields.put("began", Instant.ofEpochMilli(began).toString());
        fields.put("seconds", (over.since() - began) / 1e3);
        fields.put("attempts", over.attempts().size());
        fields.put("streams", report == null ? 0 : report.streams());
        fields.put("lostStreams", report == null ? 0 : report.lostStreams());
        fields.put("by", over.request().by() == 0 ? null : Instant.ofEpochMilli(over.request().by()).toString());
        fields.put("inTime", over.request().by() == 0 ? null : over.state() == Transfer.State.DONE && over.since() <= over.request().by());
        fields.put("reason", over.reason());
        return fields;
    }

    /** @param file null for the log alone */
    static void write(Transfer over, Path file) {
        try {
            String line = JSON.writeValueAsString(of(over));
            LOG.info("transfer over: {}", line);
            if (file != null) {
                Files.writeString(file, line + "\n", StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            LOG.warn("the record of {} cannot be written to {}: {}", over.id(), file, e.getMessage());
        }
    }
}
