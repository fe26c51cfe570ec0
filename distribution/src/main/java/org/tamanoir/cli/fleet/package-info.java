/** A fleet's folder and what is printed of a fleet. */
package org.tamanoir.cli.fleet;
