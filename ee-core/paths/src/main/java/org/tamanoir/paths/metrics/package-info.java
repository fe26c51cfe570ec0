/** What samples say: the metrics of IPPM (RFC 2330), and how sure they are. Delays are milliseconds, NaN for a packet that was lost. */
package org.tamanoir.paths.metrics;
