package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.tamanoir.http.TextView;

/** What commands print of a server's answer, made by the server itself: {@code src/launcher/ask.c} asks for these by name. */
public final class Views implements TextView {
    @Override
    public String print(String view, JsonNode answer) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        switch (view) {
            case "node-status" -> new NodeStatus().print(answer, out);
            case "node-services" -> new NodeCommand.Services().print(answer, out);
            case "node-streams" -> new NodeCommand.Streams().print(answer, out);
            case "node-stream" -> NodeCommand.Streams.one(answer, out);
            case "node-links" -> new NodeCommand.Links().print(answer, out);
            case "node-routes" -> new NodeRoutes().print(answer, out);
            case "node-rules" -> new NodeRules().print(answer, out);
            case "node-pins" -> NodeCommand.Pins.table(answer, out);
            case "node-access" -> new NodeCommand.Access().print(answer, out);
            case "node-events" -> new NodeEventLog().print(answer, out);
            case "service" -> ServiceTable.print(answer, out);
            default -> {
                return null;
            }
        }
        out.flush();
        return text.toString();
    }
}
