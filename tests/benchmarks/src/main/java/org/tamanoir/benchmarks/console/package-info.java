/** What the console's page costs a browser and a node, in a real Chromium. */
package org.tamanoir.benchmarks.console;
