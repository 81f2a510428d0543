/** LevelDB's tables: blocks in every form in which they are stored, and the entries in them. */
@NullMarked
package io.sifr.leveldb.importer.table;

import org.jspecify.annotations.NullMarked;
