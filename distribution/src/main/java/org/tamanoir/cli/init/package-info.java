/** What {@code tamanoir init} writes: a node's configuration and its keys. */
package org.tamanoir.cli.init;
