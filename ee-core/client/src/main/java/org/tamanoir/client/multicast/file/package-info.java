/**
 * Files as the content of a multicast session. The content is a {@link org.tamanoir.client.multicast.file.Manifest}, preceded by its length
 * in four octets, and then the octets of the files in its order. {@link org.tamanoir.client.multicast.file.FileContent} makes packets of it;
 * {@link org.tamanoir.client.multicast.file.FileStore} keeps packets in a part folder until all are there, checks the whole and puts the
 * files into their place.
 *
 * <p>May use {@code org.tamanoir.dyram}, {@code org.tamanoir.anep}, Netty's buffers and Jackson.
 */
package org.tamanoir.client.multicast.file;
