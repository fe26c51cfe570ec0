package org.tamanoir.node.cluster.order;

import org.tamanoir.anep.AnepException;
import org.tamanoir.membership.Welcome.Order;

/** What a node can do about versions of services. Calls may block for minutes. */
public interface Upgrader {
    /**
     * What there is to do.
     *
     * @param from the version that is active; null if none is
     * @param to   the version that is to be; null if the one that is active is that
     */
    record Found(String from, String to) {
    }

    /**
     * Looks what an order asks for, and changes nothing.
     *
     * @throws AnepException with a code that says why it cannot be had
     */
    Found find(Order order);

    /**
     * Makes a version active; streams on the one before finish there.
     *
     * @return the version that is active now
     * @throws AnepException if it is not; the one before is
     */
    String upgrade(Order order, String version);

    /** The version of a service that is active; null if none is. */
    String active(int typeId);
}
