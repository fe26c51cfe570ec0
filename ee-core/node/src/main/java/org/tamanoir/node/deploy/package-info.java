/**
 * Getting a service: the bundle store, the repositories, the verification of what they send, and the embedded OSGi framework that runs
 * it. {@link org.tamanoir.node.deploy.Deployer} is the way in.
 */
package org.tamanoir.node.deploy;
