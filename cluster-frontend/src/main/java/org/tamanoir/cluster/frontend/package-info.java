/**
 * The front-end of a cluster, put together: its configuration, the loop that makes plans of members and has an engine carry them, its HTTP API, metrics
 * and status. Everything else of the module is below it.
 */
package org.tamanoir.cluster.frontend;
