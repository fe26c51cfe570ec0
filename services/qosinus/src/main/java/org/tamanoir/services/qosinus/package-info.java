/** QoSinus: sessions, the class of each, and what becomes of their packets. {@code docs/qos.md} explains it as a whole. */
package org.tamanoir.services.qosinus;
