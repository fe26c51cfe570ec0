package org.tamanoir.http;

/** Is told of every request that changes something or was to, just before the answer leaves. On an event loop: it may write a line, not wait. */
@FunctionalInterface
public interface AuditHook {
    /** Keeps nothing. */
    AuditHook NONE = (request, status, said) -> {
    };

    /**
     * @param status of the answer
     * @param said   its text, if it is one
     */
    void answered(Request request, int status, String said);
}
