/** What theodolites, operators and those who ask what paths cost say over HTTP (docs/observatory.md). */
package org.tamanoir.observatory.api;
