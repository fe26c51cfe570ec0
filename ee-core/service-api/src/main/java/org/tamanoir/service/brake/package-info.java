/** Which threads must leave the service that they are in. For the node alone: no bundle can import it. */
package org.tamanoir.service.brake;
