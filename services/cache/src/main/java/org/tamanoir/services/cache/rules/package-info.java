/**
 * What a shared cache may keep and give away: RFC 9111 (storing, freshness, validation), RFC 5861 (stale-if-error), RFC 9110 (conditions, ranges, Vary), RFC 9211
 * (Cache-Status), as plain functions of heads and times.
 *
 * <p>Uses {@code org.tamanoir.services.cache.http} and Java.
 */
package org.tamanoir.services.cache.rules;
