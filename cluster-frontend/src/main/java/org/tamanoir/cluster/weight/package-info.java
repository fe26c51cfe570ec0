/** How much a director gives to each back end, from the load that back ends report. No I/O and no clock. */
package org.tamanoir.cluster.weight;
