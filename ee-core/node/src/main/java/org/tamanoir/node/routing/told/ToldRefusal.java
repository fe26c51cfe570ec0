package org.tamanoir.node.routing.told;

/** Why something that a neighbour said was not taken. */
public enum ToldRefusal {
    /** A message whose octets are wrong. */
    MALFORMED,
    /** A message of an earlier session, seen before, or older than one seen. */
    STALE,
    /** A message that names this node as its sender. */
    OWN,
    /** A prefix that the neighbour is not believed. */
    NOT_BELIEVED,
    /** A prefix that a route of the configuration covers. */
    CONFIGURED,
    /** A prefix beyond what a neighbour may add. */
    TOO_MANY,
    /** A request for a prefix that the neighbour may not be told, or for an impossible round. */
    NOT_TOLD
}
