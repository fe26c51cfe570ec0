/**
 * Files in which operators say what a program is to do: YAML, read into a record or a class; values of a command laid over them; errors
 * that name the key and the line; read again on change.
 */
package org.tamanoir.settings;
