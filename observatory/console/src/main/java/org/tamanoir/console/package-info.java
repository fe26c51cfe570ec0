/**
 * The console: a page that shows what moves, and the feed that it lives on. {@link org.tamanoir.console.Console} looks twice a second at what it is given and tells
 * its readers what has changed; {@link org.tamanoir.console.ConsoleApi} serves both, and the minutes before.
 *
 * <p>May use {@code org.tamanoir.http}; knows nothing of nodes but what their feeds say.
 */
package org.tamanoir.console;
