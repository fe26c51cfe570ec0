/** Active forwarding: every packet goes on as it came. Uses the service API only. */
package org.tamanoir.services.forward;
