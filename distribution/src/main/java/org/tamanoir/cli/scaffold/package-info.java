/** The files that a new service begins with: in Java, or as a WebAssembly module in another language. Templates are resources of this package; uses the wire format's errors and Java alone. */
package org.tamanoir.cli.scaffold;
