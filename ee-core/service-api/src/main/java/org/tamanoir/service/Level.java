package org.tamanoir.service;

/** How much work a service is, as its capability declares it; the node decides from it where the service runs. */
public enum Level {
    /** Count, mark, police, drop, forward: rules that a kernel can run. */
    LIGHT,
    /** Little work for each packet: runs on the event loop of the stream. */
    MIDDLE,
    /** Much work for each packet: runs on threads of its own, each stream in order. */
    HEAVY
}
