/**
 * Generated entries, and the demonstration that loads, reads, kills and checks a store with them:
 * {@link io.sifr.cli.demo.Workload} generates the entries, {@link io.sifr.cli.demo.Demo} runs the
 * demonstration, {@link io.sifr.cli.demo.DemoPhases} measures, {@link io.sifr.cli.demo.DemoReport}
 * shows the results.
 */
@NullMarked
package io.sifr.cli.demo;

import org.jspecify.annotations.NullMarked;
