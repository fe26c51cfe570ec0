/** Messages that tell a collector of SciTags which flows there are, and whose. */
package org.tamanoir.node.firefly;
