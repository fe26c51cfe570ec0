/**
 * Signing for a repository's TUF metadata: {@link org.tamanoir.cli.tuf.SigningDirectory} holds root and targets on the machine of those who sign them,
 * {@link org.tamanoir.cli.tuf.PublisherRole} is a publisher's part.
 */
package org.tamanoir.cli.tuf;
