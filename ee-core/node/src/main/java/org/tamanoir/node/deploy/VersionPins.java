package org.tamanoir.node.deploy;

import java.net.InetAddress;
import java.util.Set;

/** Versions that routes pin, whatever the newest is. For any thread; may change at any time, see {@link Deployer#repin}. */
public interface VersionPins {
    /** Whether nothing is pinned. */
    boolean isEmpty();

    /** The version that streams to an address get of a service, by the longest prefix; null for whichever is current. */
    String version(String service, InetAddress destination);

    /** Every version of a service that is pinned somewhere. */
    Set<String> versions(String service);
}
