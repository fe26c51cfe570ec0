/**
 * Getting a service: the bundle store, the repositories, the verification of what they send, the embedded OSGi framework that runs
 * it, and the code server that gives it to the next node. {@link org.tamanoir.node.deploy.Deployer} is the way in.
 */
package org.tamanoir.node.deploy;
