/** Makes a Sifr store of a RocksDB directory, which RocksDB's own library reads. */
@NullMarked
package io.sifr.importer.rocksdb;

import org.jspecify.annotations.NullMarked;
