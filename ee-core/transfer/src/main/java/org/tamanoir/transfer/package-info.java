/**
 * Copies of files that finish: what is to be copied, in extents ({@link org.tamanoir.transfer.Extent}), and what a copy keeps of a file beside its octets.
 * {@code part} is the file at the destination while it comes, {@code plan} decides who copies what, {@code wire} is what movers say, {@code mover} and
 * {@code copy} are the two programs, {@code queue} decides which transfers run and {@code daemon} has them run.
 */
package org.tamanoir.transfer;
