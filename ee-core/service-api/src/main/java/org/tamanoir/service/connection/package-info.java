/**
 * Connections that a service opens by itself: to a server, or to itself on another node, by the routes of its node and to nothing but what the operator
 * lets it reach. {@link org.tamanoir.service.connection.Connections} is where to begin.
 */
@org.osgi.annotation.versioning.Version("1.0.0")
package org.tamanoir.service.connection;
