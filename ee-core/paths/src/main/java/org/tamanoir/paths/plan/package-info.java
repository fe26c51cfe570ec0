/** What is measured, between whom and how often: GlueDomains' monitoring database as a value with a version. Its sessions are what theodolites run. */
package org.tamanoir.paths.plan;
