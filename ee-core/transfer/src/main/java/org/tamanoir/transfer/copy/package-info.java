/** The program that copies: {@link org.tamanoir.transfer.copy.Copy}, with what it copies from and to ({@link org.tamanoir.transfer.copy.Place}). */
package org.tamanoir.transfer.copy;
