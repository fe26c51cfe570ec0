/**
 * Where a console that is no node's own gets its entries: from the feeds of many nodes ({@link org.tamanoir.console.gather.Gatherer}), or from a recording
 * ({@link org.tamanoir.console.gather.Recording}).
 */
package org.tamanoir.console.gather;
