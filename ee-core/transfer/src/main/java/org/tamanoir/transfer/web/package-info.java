/** Files of web servers, to read and to put there: {@link org.tamanoir.transfer.web.WebClient}. Uses the JDK's HTTP client. */
package org.tamanoir.transfer.web;
