/** Makes a Sifr store of a LevelDB directory, which the Java port of LevelDB reads. */
@NullMarked
package io.sifr.leveldb.importer;

import org.jspecify.annotations.NullMarked;
