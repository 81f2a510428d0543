/** The package in which programs look for the factory of LevelDB's native binding. */
@NullMarked
package org.fusesource.leveldbjni;

import org.jspecify.annotations.NullMarked;
