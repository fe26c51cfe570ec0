/** Leases of groups among nodes: what the service {@code election} (0x5411) offers to other services of its node, as their partner. */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.lease;
