/**
 * Who is there: back ends by their reports, how long that holds, what the director's checks say of them, and which of them come and go too often. No I/O
 * and no clock: every call says when it is. Gives the planner what it has to know of them.
 */
package org.tamanoir.cluster.member;
