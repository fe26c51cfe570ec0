/**
 * What is to be seen, and how it changes: without I/O, threads or clock. A {@link org.tamanoir.console.board.Board} compares what there is now with what was shown
 * before and says the difference in numbered frames; a {@link org.tamanoir.console.board.History} keeps the frames of the last minutes.
 *
 * <p>An entry has a key, {@code KIND/NODE/…}, and fields. The kinds are in {@code docs/console.md}.
 */
package org.tamanoir.console.board;
