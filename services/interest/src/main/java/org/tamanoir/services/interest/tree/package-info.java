/**
 * One node of the tree of a space, without clock, thread or I/O: {@link org.tamanoir.services.interest.tree.SpaceCore} is told what its neighbours say, and tells
 * each {@link org.tamanoir.services.interest.tree.Sink} what to say.
 */
package org.tamanoir.services.interest.tree;
