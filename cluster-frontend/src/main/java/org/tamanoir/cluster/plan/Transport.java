package org.tamanoir.cluster.plan;

/** Of a virtual service. */
public enum Transport {
    TCP, UDP
}
