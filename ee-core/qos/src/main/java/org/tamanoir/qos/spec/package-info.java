/**
 * The text of a service level: JSON, or the short form {@code delay=low,rate=medium}. Reading validates, and names the field that is wrong.
 */
package org.tamanoir.qos.spec;
