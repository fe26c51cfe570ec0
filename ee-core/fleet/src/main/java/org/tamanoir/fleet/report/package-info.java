/** What nodes say of themselves to the server of their fleet, bounded, and how it is written. */
package org.tamanoir.fleet.report;
