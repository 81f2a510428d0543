/** Entries of many tables and logs in the order of their keys, the newest of each key. */
@NullMarked
package io.sifr.leveldb.importer.merge;

import org.jspecify.annotations.NullMarked;
