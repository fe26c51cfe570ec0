/** Where files are copied from and to ({@link org.tamanoir.transfer.store.Store}), and the one that is a directory of this machine. */
package org.tamanoir.transfer.store;
