/**
 * The Active Node Manager: configuration and its reload, the admin API, metrics, health. Uses every other room; none uses it but the
 * assembly.
 */
package org.tamanoir.node.manage;
