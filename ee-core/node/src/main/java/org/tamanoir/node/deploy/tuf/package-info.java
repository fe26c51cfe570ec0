/**
 * A node follows the TUF metadata of its repositories: {@link org.tamanoir.node.deploy.tuf.MetadataFollower} asks, keeps and tells what is current;
 * {@link org.tamanoir.node.deploy.tuf.PollTimes} says when to ask. What is believed is decided by {@code org.tamanoir.tuf}.
 */
package org.tamanoir.node.deploy.tuf;
