#!/bin/bash
# Spring Boot: a property of type Path with a relative name is not in the working directory, if the class path has one like it.
#
# Guess: "data/fruit" is relative to the working directory, as with Path.of and for every other program.
# So it is: the name is looked for on the class path first. If a directory there has the name, the Path is inside of that, also
# if there is one in the working directory: files are then written among the program's classes. With the same classes in a jar
# it is in the working directory, so a program that is packed finds another directory than the one that was developed. "./" before
# the name does not help, an absolute name does. A property of type File is always in the working directory.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars org.springframework.boot:spring-boot:4.1.2 org.slf4j:slf4j-nop:2.0.17
cat >Where.java <<'END_OF_JAVA'
import java.io.File;
import java.nio.file.Path;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/** Prints where a Path and a File of properties are. */
public class Where {
  @ConfigurationProperties("where")
  public record Places(Path path, File file) {}

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(Places.class)
  static class Program {}

  public static void main(String[] args) {
    SpringApplication program = new SpringApplication(Program.class);
    program.setBannerMode(Banner.Mode.OFF);
    String working = Path.of("").toAbsolutePath() + "/";
    try (var context = program.run(args)) {
      Places places = context.getBean(Places.class);
      System.out.println(
          places.path().toAbsolutePath().normalize().toString().replace(working, "")
              + " "
              + places.file().toPath().toAbsolutePath().normalize().toString().replace(working, ""));
    }
  }
}
END_OF_JAVA
where() { java -cp "lib/*:$1" Where.java --where.path="$2" --where.file="$2" 2>/dev/null; }

mkdir -p data/fruit other classes/data/fruit
same "Path and File, nothing of that name on the class path" "data/fruit data/fruit" "$(where other data/fruit)"
same "a directory of that name on the class path" "classes/data/fruit data/fruit" "$(where classes data/fruit)"
same "the same, with ./ before it" "classes/data/fruit data/fruit" "$(where classes ./data/fruit)"
same "the same, as an absolute name" "data/fruit data/fruit" "$(where classes "$PWD/data/fruit")"
jar cf classes.jar -C classes data
same "in a jar" "data/fruit data/fruit" "$(where classes.jar data/fruit)"
