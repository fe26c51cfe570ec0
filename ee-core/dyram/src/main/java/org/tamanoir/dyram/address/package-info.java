/**
 * Whether somebody is where its datagrams say it is, and how much one host may have of a place: what keeps a node from being turned
 * against third parties (in the spirit of RFC 9000, section 8).
 */
package org.tamanoir.dyram.address;
