/**
 * The command {@code sifr-bench}: its options, its output, its exit codes. One class a subcommand;
 * {@link io.sifr.bench.SifrBench} lists them. What they do is done in the packages below, which do
 * not know this one.
 */
@NullMarked
package io.sifr.bench;

import org.jspecify.annotations.NullMarked;
