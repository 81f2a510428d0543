/**
 * LevelDB's interface for Java, {@code org.iq80.leveldb}, on Sifr: a program that uses it changes
 * where it gets its {@link org.iq80.leveldb.DBFactory} from, and nothing else.
 */
@NullMarked
package io.sifr.leveldb;

import org.jspecify.annotations.NullMarked;
