/**
 * The experiments of the papers, one class each, at the scale a machine allows: TPDS is the SifrDB
 * paper of 2020, "LSM-trie" the one on its parallel search. Results that the papers show only as a
 * curve are quoted in words. Start with {@link io.sifr.bench.experiment.Experiments}.
 */
@NullMarked
package io.sifr.bench.experiment;

import org.jspecify.annotations.NullMarked;
