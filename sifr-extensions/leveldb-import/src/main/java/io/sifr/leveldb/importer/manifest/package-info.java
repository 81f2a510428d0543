/** LevelDB's MANIFEST: which tables and logs count. */
@NullMarked
package io.sifr.leveldb.importer.manifest;

import org.jspecify.annotations.NullMarked;
