package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.anep.Anep;

/** Versions of services, as a repository describes them, for people. */
final class ServiceTable {
    private final Table table = new Table("NAME", "TYPE ID", "VERSION", "LEVEL", "SIZE", "PUBLISHED", "STATE", "PUBLISHER", "KEY", "SHA-256");

    /** @param answer with {@code services} or the {@code versions} of one */
    static void print(JsonNode answer, PrintWriter out) {
        ServiceTable table = new ServiceTable();
        answer.path("services").forEach(table::add);
        answer.path("versions").forEach(table::add);
        table.print(out);
        guests(answer, out);
    }

    /** What each guest has, of what a guest may have. */
    private static void guests(JsonNode answer, PrintWriter out) {
        if (answer.path("guests").isEmpty()) {
            return;
        }
        JsonNode most = answer.path("guestQuotas");
        Table guests = new Table("GUEST", "SERVICES", "MOST VERSIONS", "OCTETS", "UPLOADS THIS HOUR", "PUBLISHER");
        for (JsonNode guest : answer.path("guests")) {
            guests.row("~" + guest.path("label").asText(), of(guest, most, "services"), of(guest, most, "versions"),
                    Units.bytes(guest.path("octets").asLong()) + (most.isMissingNode() ? "" : " of " + Units.bytes(most.path("octets").asLong())), of(guest, most, "uploads"),
                    guest.path("publisher").asText("-"));
        }
        out.println();
        guests.print(out);
    }

    private static String of(JsonNode guest, JsonNode most, String what) {
        return guest.path(what).asText() + (most.isMissingNode() ? "" : " of " + most.path(what).asText());
    }

    /** @param entry an object with the fields of {@code org.tamanoir.repository.store.Entry} */
    void add(JsonNode entry) {
        table.row(entry.path("name").asText(), Anep.typeName(entry.path("typeId").asInt()), entry.path("version").asText(),
                level(entry), Units.bytes(entry.path("size").asLong()), entry.path("uploaded").asText(),
                state(entry), entry.path("publisher").asText("-"), key(entry.path("key").asText("-")), entry.path("sha256").asText());
    }

    /** {@code heavy (wasm)} for a module. */
    private static String level(JsonNode entry) {
        return entry.path("level").asText() + (entry.has("runtime") ? " (" + entry.path("runtime").asText() + ")" : "");
    }

    private static String state(JsonNode entry) {
        return entry.path("revoked").asBoolean() ? "revoked" : entry.path("retired").asBoolean() ? "retired" : "published";
    }

    /** Enough of a hash to tell two keys apart by eye; all of it is in the JSON. */
    private static String key(String whole) {
        return whole.length() > 16 ? whole.substring(0, 16) + "…" : whole;
    }

    void print(PrintWriter out) {
        table.print(out);
    }
}
