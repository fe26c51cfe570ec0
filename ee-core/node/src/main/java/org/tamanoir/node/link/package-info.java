/**
 * Datagrams that are for the node itself: the handlers of services that speak with the hosts and nodes next to them, one a service and
 * event loop. Uses services, the deployer and sockets; knows nothing of streams.
 */
package org.tamanoir.node.link;
