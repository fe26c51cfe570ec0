/** What the console is shown of a node: entries by key, as {@code docs/console.md} lists them. Without threads; the manager looks, and asks these what there is to be shown. */
package org.tamanoir.node.manage.board;
