/**
 * The experiments of the papers, at the scale a machine allows: TPDS is the SifrDB paper of 2020,
 * "LSM-trie" the one on its parallel search. Results that the papers show only as a curve are
 * quoted in words. Start with {@link io.sifr.bench.experiment.Experiments}, their table. {@link
 * io.sifr.bench.experiment.Runs} measures stores in processes of their own, {@link
 * io.sifr.bench.experiment.TrialStore} and {@link io.sifr.bench.experiment.UncachedStore} in this
 * one; figures come in a {@link io.sifr.bench.experiment.Grid}.
 */
@NullMarked
package io.sifr.bench.experiment;

import org.jspecify.annotations.NullMarked;
