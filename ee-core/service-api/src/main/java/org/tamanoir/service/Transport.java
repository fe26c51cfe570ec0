package org.tamanoir.service;

/** How the packets of a stream arrive. */
public enum Transport {
    /** In order, none missing; one connection is one stream. */
    TCP,
    /** Each on its own: packets may be missing, doubled, or out of order. */
    UDP
}
