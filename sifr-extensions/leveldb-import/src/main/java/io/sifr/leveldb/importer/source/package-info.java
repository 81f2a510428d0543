/** Files of a LevelDB directory, read without trust: every length is checked before it is used. */
@NullMarked
package io.sifr.leveldb.importer.source;

import org.jspecify.annotations.NullMarked;
