/** What the next value of a series is: several simple predictors, of which the one that has been off least so far speaks (Network Weather Service). */
package org.tamanoir.paths.forecast;
