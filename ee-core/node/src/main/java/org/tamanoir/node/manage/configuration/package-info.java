/**
 * What an operator says of a node, as immutable records that are parsed and checked once, when the file is read: one record for each
 * section of the YAML file, in it addresses, times, prefixes, routes and rules as the types that the node works with.
 */
package org.tamanoir.node.manage.configuration;
