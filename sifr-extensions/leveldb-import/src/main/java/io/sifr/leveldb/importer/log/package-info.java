/** LevelDB's log: records, and the batches of writes in them. */
@NullMarked
package io.sifr.leveldb.importer.log;

import org.jspecify.annotations.NullMarked;
