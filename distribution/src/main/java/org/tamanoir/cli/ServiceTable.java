package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.anep.Anep;

/** Versions of services, as a repository describes them, for people. */
final class ServiceTable {
    private final Table table = new Table("NAME", "TYPE ID", "VERSION", "LEVEL", "SIZE", "PUBLISHED", "STATE", "SHA-256");

    /** @param entry an object with the fields of {@code org.tamanoir.repository.store.Entry} */
    void add(JsonNode entry) {
        table.row(entry.path("name").asText(), Anep.typeName(entry.path("typeId").asInt()), entry.path("version").asText(),
                entry.path("level").asText(), Units.bytes(entry.path("size").asLong()), entry.path("uploaded").asText(),
                entry.path("retired").asBoolean() ? "retired" : "published", entry.path("sha256").asText());
    }

    void print(PrintWriter out) {
        table.print(out);
    }
}
