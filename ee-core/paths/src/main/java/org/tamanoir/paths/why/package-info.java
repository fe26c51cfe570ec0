/** What slows transfers between two places: from what theodolites have said of the streams that passed their nodes. */
package org.tamanoir.paths.why;
