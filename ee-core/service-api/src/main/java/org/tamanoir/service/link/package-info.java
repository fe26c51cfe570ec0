/**
 * For services that speak with the hosts and nodes next to them, rather than change a stream that passes: a service that is a
 * {@link org.tamanoir.service.link.LinkService} gets the datagrams of its Type ID that name no destination, and sends others to one
 * neighbour, to some, or to a group.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.link;
