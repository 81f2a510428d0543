/**
 * An example of replication: several servers, each with a Sifr store of its own, which Apache
 * Ratis, an implementation of Raft, keeps equal.
 *
 * <p>{@link io.sifr.ratis.SifrStateMachine} is what connects the two; {@link io.sifr.ratis.Server}
 * and {@link io.sifr.ratis.Client} are the programs.
 */
@NullMarked
package io.sifr.ratis;

import org.jspecify.annotations.NullMarked;
