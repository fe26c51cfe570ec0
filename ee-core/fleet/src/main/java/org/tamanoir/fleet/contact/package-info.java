/** When a node asks the server of its fleet, whatever that does. */
package org.tamanoir.fleet.contact;
