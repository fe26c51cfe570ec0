package org.tamanoir.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ServiceLoader;
import org.tamanoir.http.fetch.PlainJson;

/**
 * Turns an answer into what a command prints of it, for clients that only copy it to a terminal: {@code Accept: text/plain;view=NAME}. The command line
 * brings the views ({@link ServiceLoader}); a server without any, or without that one, answers with JSON as it does otherwise.
 */
public interface TextView {
    /** @return what is printed of {@code answer}, or null if no view has this name */
    String print(String view, JsonNode answer);

    /** The response itself if nobody asks for a view of it. */
    static Response view(Request request, Response response) throws IOException {
        String prefix = "text/plain;view=";
        String accepted = request.header("Accept").orElse("");
        if (!accepted.startsWith(prefix) || response.status() != 200 || !(response.body() instanceof Response.Octets json)
                || !"application/json".equals(response.type())) {
            return response;
        }
        for (TextView views : ServiceLoader.load(TextView.class, TextView.class.getClassLoader())) {
            String text = views.print(accepted.substring(prefix.length()), PlainJson.read(json.octets()));
            if (text != null) {
                return Response.text(text);
            }
        }
        return response;
    }
}
