/**
 * What a back end of a cluster and its front-ends say to each other: JSON over HTTP, one request a period. A {@link org.tamanoir.membership.Report}
 * registers, renews and reports in one, so a front-end that has forgotten everything knows it all again after a period, and two of them agree without
 * talking. No I/O here; uses {@code anep} for errors.
 */
package org.tamanoir.membership;
