/**
 * Events by what they are about: {@link org.tamanoir.client.interest.SpaceStream} publishes them and takes those that a program wants, by way of the service
 * {@code interest} of the nodes; {@link org.tamanoir.client.interest.SpaceDatagrams} publishes by datagrams those that may be lost.
 */
package org.tamanoir.client.interest;
