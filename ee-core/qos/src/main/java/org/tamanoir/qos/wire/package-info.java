/**
 * What an application and the nodes on the path say to each other about a QoS session: {@code docs/qos.md} has the fields. One message is
 * the payload of one UDP packet of Type ID 0x5404 without a session option: eight octets of magic, then JSON.
 */
package org.tamanoir.qos.wire;
