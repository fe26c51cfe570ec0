package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code tamanoir node access}. */
@Command(name = "access", mixinStandardHelpOptions = true,
        description = "The access policy in force: its rules, how many streams each has decided, and who has streams open.",
        footer = {"", "Example:", "  tamanoir node access"})
final class NodeAccess extends NodeQuery {
    @Override
    JsonNode ask() {
        return api().json("/access");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        out.println(answer.path("file").asText());
        answer.path("issuers").forEach(issuer -> out.println("tokens of " + issuer.asText()));
        Table table = new Table("LINE", "RULE", "DECIDED", "OPEN");
        answer.path("rules").forEach(rule -> table.row(rule.path("line").asText(), rule.path("rule").asText(), rule.path("decided").asText(),
                rule.path("open").properties().stream().map(each -> each.getKey() + ": " + each.getValue().asText()).collect(Collectors.joining(", "))));
        table.print(out);
        out.println("refused because no rule matches: " + answer.path("refusedByNone").asText());
    }
}
