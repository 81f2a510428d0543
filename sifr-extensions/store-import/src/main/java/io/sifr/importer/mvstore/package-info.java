/** Makes a Sifr store of a file of H2's MVStore, which MVStore's own library reads. */
@NullMarked
package io.sifr.importer.mvstore;

import org.jspecify.annotations.NullMarked;
