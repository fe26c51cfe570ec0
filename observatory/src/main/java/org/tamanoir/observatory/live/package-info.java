/** What is going on now: who is to measure what, which runs have their slot, who waits for news, and what the newest samples say. */
package org.tamanoir.observatory.live;
