/**
 * The common part of the programs that make a Sifr store of another store's data: a new store, made
 * beside its place from what a {@link io.sifr.importer.ImportSource} has, compared with it, and
 * moved there. Each program reads another kind of source.
 */
@NullMarked
package io.sifr.importer;

import org.jspecify.annotations.NullMarked;
