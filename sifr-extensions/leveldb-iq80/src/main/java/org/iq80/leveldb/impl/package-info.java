/** The package in which programs look for the factory of LevelDB's Java port. */
@NullMarked
package org.iq80.leveldb.impl;

import org.jspecify.annotations.NullMarked;
