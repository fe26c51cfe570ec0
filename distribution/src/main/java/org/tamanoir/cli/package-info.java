/**
 * The command line: one class a command, named after it. {@link org.tamanoir.cli.Tamanoir} is the list of them.
 *
 * <p>May use every other part of the project; nothing uses it but the benchmarks, which add a command.
 */
package org.tamanoir.cli;
