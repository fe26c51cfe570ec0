/** The same random packets and rules through the kernel and through the node's own engine: what comes out must be the same. */
package org.tamanoir.tests.differential;
