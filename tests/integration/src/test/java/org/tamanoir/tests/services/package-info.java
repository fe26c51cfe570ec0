/** Services that do what a service must not. Tests put them in bundles; nodes run them. */
package org.tamanoir.tests.services;
