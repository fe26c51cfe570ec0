package org.tamanoir.service;

import java.util.Map;

/**
 * A service that does what operators say: {@code POST /services/NAME/commands/WHAT} of the admin API, with names and texts as a JSON object. Such as throwing away what a
 * cache keeps. What only reads is for {@link Inspected}.
 */
public interface Commanded {
    /**
     * Does something. Called on a thread of the admin API, beside everything else, within the time of the service's policy.
     *
     * @param what       the last part of the path
     * @param parameters of the request, by name
     * @return what was done: names with numbers, texts, truth values, lists, or maps of these
     * @throws org.tamanoir.anep.AnepException EE-407 for something that is not known, EE-408 for a parameter that makes no sense
     */
    Map<String, Object> command(String what, Map<String, String> parameters);
}
