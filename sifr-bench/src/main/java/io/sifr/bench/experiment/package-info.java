/**
 * The experiments of the papers, one class each, at the scale a machine allows: TPDS is the SifrDB
 * paper of 2020, "LSM-trie" the one on its parallel search. What the papers give only as a curve in
 * a picture is told in their words. What needs a part of the engine that is not built yet is listed
 * as missing. Begin reading at {@link io.sifr.bench.experiment.Experiments}.
 */
@NullMarked
package io.sifr.bench.experiment;

import org.jspecify.annotations.NullMarked;
