/**
 * What a signed jar says, and whether it still says what was signed. {@link org.tamanoir.trust.jar.SignedJar} is the way in;
 * {@link org.tamanoir.trust.jar.Archive} sees to it that the archive means the same to every reader, whichever end it begins from.
 *
 * <p>Whatever is given to the JDK's own parsers has been measured first: a hostile file costs bounded time and memory. May use the JDK's
 * jar signatures and the error codes of {@code org.tamanoir.anep}; knows nobody who is trusted.
 */
package org.tamanoir.trust.jar;
