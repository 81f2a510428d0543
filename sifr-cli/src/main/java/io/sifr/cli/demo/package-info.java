/**
 * Generated entries, and the demonstration that loads, reads, kills and checks a store with them:
 * {@link io.sifr.cli.demo.Workload} is the entries, {@link io.sifr.cli.demo.Demo} the course of
 * events, {@link io.sifr.cli.demo.DemoPhases} what is measured, {@link io.sifr.cli.demo.DemoReport}
 * what is shown.
 */
@NullMarked
package io.sifr.cli.demo;

import org.jspecify.annotations.NullMarked;
