package org.tamanoir.node.routing;

import org.tamanoir.service.rule.Prefix;

/**
 * A route that a neighbour told.
 *
 * @param route   null while there is no way any more: streams are refused, and no shorter prefix leads them
 * @param metric  the costs of the links on the way
 * @param because who told it, or why it leads nowhere, as a sentence for an operator that begins with the verb
 */
public record LearnedRoute(Prefix prefix, Route route, int metric, String because) {
    /** {@code HOST:PORT} of the neighbour, or {@code none}. */
    public String target() {
        return route == null ? "none" : route.target();
    }
}
