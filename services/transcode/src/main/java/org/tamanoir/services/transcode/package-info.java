/**
 * Video in other sizes, and arrays packed for the way, by programs in a sandbox beside the node. {@link org.tamanoir.services.transcode.Transcode} is the service;
 * {@link org.tamanoir.services.transcode.TransportStream}, {@link org.tamanoir.services.transcode.KeyFrameGate} and
 * {@link org.tamanoir.services.transcode.Restarts} decide without I/O.
 */
package org.tamanoir.services.transcode;
