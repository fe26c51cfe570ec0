/** The program on a storage host that others copy from and to: {@link org.tamanoir.transfer.mover.Mover}. */
package org.tamanoir.transfer.mover;
