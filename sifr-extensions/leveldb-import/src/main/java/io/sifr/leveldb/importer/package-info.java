/** Makes a Sifr store of a LevelDB directory, whose files it reads itself. */
@NullMarked
package io.sifr.leveldb.importer;

import org.jspecify.annotations.NullMarked;
