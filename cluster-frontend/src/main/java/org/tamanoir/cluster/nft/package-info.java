/**
 * The engine for kernels without IPVS: destinations of new connections are translated by nftables, by a hash of their source. It is not Linux Virtual
 * Server and does not call itself so: it knows no schedulers, no direct routing and no tunnels, and a director that takes over for another has none
 * of its connections.
 *
 * <p>{@link org.tamanoir.cluster.nft.Nft} says whether it can run here; {@link org.tamanoir.cluster.nft.NftEngine} is it. {@code Buckets},
 * {@code Ruleset}, {@code TableContent}, {@code Reconcile}, {@code Ledger} and {@code Foreign} decide and do no I/O; {@code Conntrack} runs the program of that name.
 *
 * <h2>How a packet goes</h2>
 * The first packet of a connection to a virtual service is hashed into one of 1021 buckets: by its source address if the service has a persistence, so
 * that TCP and UDP go together, and by source address and port otherwise. The bucket's back end becomes its destination; connection tracking keeps it
 * there, whatever the rules become. With a persistence a back end has a set of the sources that it serves, from which each goes so long after its
 * last packet; they come before the hash.
 *
 * <h2>What it wants of the network</h2>
 * Answers must come back through the director: it is the default route of the back ends, or their route to the clients. Clients must not be on the
 * back ends' own link: there answers go straight to them, from an address that they have not asked. Back ends may ask a virtual service themselves:
 * such connections come from the director's address (masquerade). The director must forward (sysctl), and have the virtual address or be on the
 * way to it.
 *
 * <h2>What stays</h2>
 * The table belongs to the socket of this process ({@code flags owner}) and goes with it, SIGKILL included, so that no packet is led by a dead
 * front-end to back ends that nobody watches. Entries of connection tracking stay, as the kernel's own; the next start sorts out those that lead where
 * they should not. Established connections live through a restart of the front-end where another table of the host translates too (chains of type nat at
 * prerouting and postrouting, and a rule with {@code ct}): the kernel translates as long as there is one. Where there is none, a connection is reset by
 * the director as soon as one of its packets comes while there is no table. A pair of directors by VRRP brings the service back sooner, and breaks
 * established connections too: conntrackd would be needed.
 */
package org.tamanoir.cluster.nft;
