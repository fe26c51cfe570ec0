/**
 * The files of TUF (section 4 of the specification): strict JSON, its canonical form, keys, and a record for each kind of metadata.
 *
 * <p>Everything here is bounded: octets, nesting, values, names. What is not understood is refused with EE-420, but for fields that the
 * specification does not know: these are signed like the others and otherwise passed over. Uses nothing of the house but its errors.
 */
package org.tamanoir.tuf.format;
