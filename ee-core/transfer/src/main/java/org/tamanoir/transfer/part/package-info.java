/**
 * A file at its destination while it comes: the part that is there ({@link org.tamanoir.transfer.part.PartFile}) and the journal that says which part that is
 * ({@link org.tamanoir.transfer.part.Journal}). Whatever the journal says was on the disk before it said so, and the file has no name before all of it is there.
 */
package org.tamanoir.transfer.part;
