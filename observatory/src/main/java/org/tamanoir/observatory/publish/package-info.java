/** What others get, and give: samples in a file, for pScheduler and from it, and for Prometheus. */
package org.tamanoir.observatory.publish;
