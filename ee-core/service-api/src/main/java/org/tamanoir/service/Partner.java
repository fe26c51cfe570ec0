package org.tamanoir.service;

/**
 * Another service of this node that works together with this one, whichever version of it is current; from {@link ServiceContext#partner}.
 * Safe for all threads.
 *
 * <pre>{@code
 * QosDecision decision = partner.get();
 * if (decision == null) {
 *     return bestEffort;                  // not there yet, or gone: it has been asked for
 * }
 * }</pre>
 *
 * @param <T> its contract: an interface of the service API
 */
public interface Partner<T> {
    /**
     * The partner that new work goes to, or null while there is none: the node fetches it then, as for a stream. To be asked for each piece of
     * work: the answer changes when the partner is upgraded. A call that is under way when that happens still ends well.
     */
    T get();

    /** The version of what {@link #get} returns; null while there is none. */
    String version();
}
