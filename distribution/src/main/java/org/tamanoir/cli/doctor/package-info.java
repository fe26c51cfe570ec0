/** What {@code tamanoir doctor} looks at: this machine, and a node as its configuration wants it. Finds; repairs nothing. */
package org.tamanoir.cli.doctor;
