/** The four files that a new service begins with. Templates are resources of this package; uses the wire format's errors and Java alone. */
package org.tamanoir.cli.scaffold;
