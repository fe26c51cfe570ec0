/**
 * A module as classes of the JVM: how they are made in a process of their own, checked, kept, and loaded where they see nothing of the node.
 */
package org.tamanoir.wasm.image;
