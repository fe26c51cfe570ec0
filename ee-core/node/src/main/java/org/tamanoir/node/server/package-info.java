/**
 * The servers that the options of services name: documents that are followed and messages that are sent until they are answered. A service
 * says what; connections, certificate, token and patience are the node's.
 *
 * <p>Knows the service API and nothing of the node.
 */
package org.tamanoir.node.server;
