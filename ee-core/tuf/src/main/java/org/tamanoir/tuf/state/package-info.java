/**
 * What a client of TUF believes, on its disk. {@link org.tamanoir.tuf.state.StateDirectory} is all of it.
 */
package org.tamanoir.tuf.state;
