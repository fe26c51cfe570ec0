/**
 * Equivalent differentiated services (DataTAG D2.2, 2003, section 4): classes of which the one with the i-th shortest delay has the i-th highest loss. {@link
 * org.tamanoir.qos.eds.Eds} decides, exactly as {@code kernel-helpers/eds/eds.h} does in kernels; {@link org.tamanoir.qos.eds.EdsQueue} keeps packets by it,
 * and the marking policies choose a class for a packet. No clock, no I/O.
 */
package org.tamanoir.qos.eds;
