/**
 * Running services: what is known of each, which one a new stream gets, and the watch that stops one which does not return.
 *
 * <p>Knows the service API and neither bundles nor sockets.
 */
package org.tamanoir.node.service;
