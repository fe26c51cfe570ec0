package org.tamanoir.node.manage;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicReference;
import org.tamanoir.identity.Identity;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.cluster.ClusterMember;
import org.tamanoir.node.deploy.Deployer;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.probe.ProbeService;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.stream.NodeStreams;
import org.tamanoir.node.stream.StreamLimits;
import org.tamanoir.node.transport.OwnListeners;
import org.tamanoir.trust.Trust;

/**
 * The parts of a node that the manager shows and changes.
 *
 * @param id      of the node
 * @param address where streams come in
 * @param code    where its code server listens; null for nowhere
 * @param identity of the node; null if it has no certificate
 * @param limits  that its streams go by
 */
public record NodeParts(long id, InetSocketAddress address, InetSocketAddress code, AtomicReference<StreamLimits> limits, NodeStreams streams, Deployer deployer, ClusterMember cluster,
                        ServiceRegistry registry, RouteTable routes, OwnListeners own, Peers peers, AccessControl access, PoolTable pools, Pins pins, Offload offload, ProbeService probes,
                        ServiceWatch watch, ServiceEvents events, Trust trust, Identity identity) {
}
