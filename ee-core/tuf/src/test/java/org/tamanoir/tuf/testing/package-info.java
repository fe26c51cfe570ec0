/** For tests, here and in other modules: a repository in memory, a client without a network, and python-tuf beside them. */
package org.tamanoir.tuf.testing;
