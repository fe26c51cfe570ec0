/** The services of {@code docs/services-by-example.md}, as they stand there; {@code ExamplesTest} runs them, and holds the page to them. */
package org.tamanoir.tests.examples;
