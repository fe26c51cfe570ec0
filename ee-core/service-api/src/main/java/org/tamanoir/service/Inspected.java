package org.tamanoir.service;

import java.util.Map;

/**
 * A service that answers operators: {@code GET /services/NAME/inspect/WHAT?…} of the admin API shows what it returns.
 */
public interface Inspected {
    /**
     * Answers a question. Called on a thread of the admin API, beside everything else: it only reads.
     *
     * @param what       the last part of the path
     * @param parameters of the query, by name
     * @return names with numbers, texts, truth values, lists, or maps of these
     * @throws org.tamanoir.anep.AnepException EE-407 for a question or a thing that is not known, EE-408 for a parameter that makes no sense
     */
    Map<String, Object> inspect(String what, Map<String, String> parameters);
}
