/**
 * The command {@code sifr-bench}: its options, its output, its exit codes. One class per
 * subcommand; {@link io.sifr.bench.SifrBench} lists them. The work is done in the packages below,
 * which do not depend on this one.
 */
@NullMarked
package io.sifr.bench;

import org.jspecify.annotations.NullMarked;
