/** Quality of service: the classes that QoSinus and a DiffServ domain have in common. */
package org.tamanoir.qos;
