package org.tamanoir.service;

import java.net.InetSocketAddress;
import java.util.List;

/** What a service may know of a stream when it opens a handler. Everything here stays the same while the stream lives. */
public interface StreamContext {
    /** The stream's id: the one its source gave it, or a number of the node if it gave none. */
    long id();

    /** The Type ID in the header of the stream's packets: that of the first service of its chain. */
    int typeId();

    /** The Type IDs of all its services, in the order in which they see packets toward the destination. */
    List<Integer> chain();

    Transport transport();

    /** Where on the path this node is: compress at the ingress, restore at the egress. */
    Position position();

    /** The source that the stream names, or else the peer that it came from; port 0 where it is not known. */
    InetSocketAddress source();

    /** The destination that the stream names. */
    InetSocketAddress destination();

    /** The service that this handler belongs to: its configuration, metrics and log. */
    ServiceContext service();
}
