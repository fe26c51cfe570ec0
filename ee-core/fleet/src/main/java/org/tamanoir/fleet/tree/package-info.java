/** Configurations as trees of JSON: one over another, in one canonical form, and what differs between two. */
package org.tamanoir.fleet.tree;
