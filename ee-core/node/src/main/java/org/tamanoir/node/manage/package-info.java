/**
 * The Active Node Manager: puts a configuration in force as a transaction ({@code LiveConfiguration}), and answers operators: admin API,
 * metrics, health. What a configuration says is in {@code configuration}. Uses every other room; none uses it but the assembly.
 */
package org.tamanoir.node.manage;
