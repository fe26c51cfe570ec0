/**
 * Connections that services open by themselves ({@link org.tamanoir.service.connection.Connections}): by the routes of the node, to what the policy of the
 * service names, and told to it among its own tasks.
 */
package org.tamanoir.node.connection;
