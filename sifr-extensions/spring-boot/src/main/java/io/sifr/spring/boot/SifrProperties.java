package io.sifr.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties {@code sifr.…}, but for those of {@link SettingProperties}.
 *
 * @param directory of the store; a string, since Spring looks for a relative {@code Path} on the
 *     class path first
 * @param inMemory whether the store has its files on the heap instead
 */
@ConfigurationProperties("sifr")
record SifrProperties(@Nullable String directory, @DefaultValue("false") boolean inMemory) {}
