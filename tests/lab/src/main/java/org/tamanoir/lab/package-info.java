/**
 * Networks made of Linux network namespaces, as code: hosts, links between them, loss, rates and counters.
 *
 * <p>{@link org.tamanoir.lab.Lab} makes {@link org.tamanoir.lab.Host hosts} and {@link org.tamanoir.lab.Link links} and takes all of it
 * away again; {@link org.tamanoir.lab.EdgeTestbed} is the network of the 2003 paper: a client, two active nodes at the edges, a server;
 * {@link org.tamanoir.lab.MulticastTestbed} is that of a reliable multicast: a source, a core, sites of receivers far away;
 * {@link org.tamanoir.lab.ClusterTestbed} is that of a cluster: a client, back ends, and {@link org.tamanoir.lab.Director directors} with a kernel of
 * their own, which has IPVS, whatever the machine's has.
 * It needs root and Debian's iproute2 and nftables; {@link org.tamanoir.lab.LabRequirements} says what is missing.
 *
 * <p>{@link org.tamanoir.lab.ServiceBundle} is the other thing that benches and tests share: a service of a test as a bundle.
 *
 * <p>Uses the programs {@code ip}, {@code nft} and {@code tc}, for multicast also {@code ethtool}, {@code smcrouted} and a C compiler, for clusters
 * {@code linux.uml}, {@code ipvsadm} and {@code keepalived}, and nothing of the rest of the project, so that a test of any part may use it.
 */
package org.tamanoir.lab;
