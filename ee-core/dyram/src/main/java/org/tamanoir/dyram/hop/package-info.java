/**
 * A place where packets of a session branch, at the source or in a node: its links, which of them miss what, who is asked to repair, and
 * where the repair goes. Keeps no content.
 */
package org.tamanoir.dyram.hop;
