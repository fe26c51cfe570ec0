package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Option;

/** A command that changes the routes, rules or pins of a node: only if they are still as they were read. */
abstract class NodeChange extends NodeQuery {
    private static final long MOST = 16 << 20;

    @Option(names = "--if-match", paramLabel = "TAG",
            description = {"Change nothing unless this is still the current tag: the etag of an earlier answer with --json.",
                "Default: the tag when the command starts."})
    private String tag;

    /**
     * The API for a change of what a path holds. It refuses with EE-413 if somebody else has changed that since it was read.
     *
     * @param path such as {@code /routes}
     */
    final HttpFetch asRead(String path) {
        String read = tag == null ? api().ifChanged(path, null, MOST).etag() : tag;
        return api().ifMatch(read == null || read.startsWith("\"") || read.equals("*") ? read : '"' + read + '"');
    }

    /** Asks or changes; the answer is what the path holds then. */
    @Override
    abstract JsonNode ask();
}
