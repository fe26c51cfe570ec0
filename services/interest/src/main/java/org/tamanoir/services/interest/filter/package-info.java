/** What somebody wants: topics, regions, predicates and how often; whether one filter covers another, and whether an event matches. Without I/O. */
package org.tamanoir.services.interest.filter;
