/** The source: announces a session, admits receivers, sends at a rate, repairs what nobody nearer can, and knows how every receiver is. */
package org.tamanoir.dyram.source;
