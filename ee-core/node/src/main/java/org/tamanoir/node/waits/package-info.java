/** How long something took that somebody waits for, as histograms; the rooms above observe, and the manager shows them to who scrapes. */
package org.tamanoir.node.waits;
