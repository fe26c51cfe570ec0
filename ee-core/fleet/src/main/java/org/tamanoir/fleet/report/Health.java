package org.tamanoir.fleet.report;

import java.util.List;

/**
 * How a node is.
 *
 * @param status   {@code ok}, or another word
 * @param problems in sentences
 * @param streams  that were let in or refused since the node has what it has of its fleet
 * @param failed   of these; an error of a packet counts too
 */
public record Health(String status, List<String> problems, long streams, long failed) {
    public Health {
        problems = List.copyOf(problems);
    }

    public boolean isOk() {
        return status.equals("ok");
    }
}
