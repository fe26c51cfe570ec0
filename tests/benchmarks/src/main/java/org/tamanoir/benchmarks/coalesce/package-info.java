/** What the service coalesce is worth on a link that carries so many packets a second, and what it adds to the time of a datagram. */
package org.tamanoir.benchmarks.coalesce;
