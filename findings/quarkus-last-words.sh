#!/bin/bash
# Quarkus: what a producer method has made is closed before the bean that it was injected into is destroyed.
#
# Guess: beans are destroyed in the reverse order of their making, or at least those that use another one first, so that a
# @PreDestroy method of a @Singleton may use the @Singleton that a producer has made, and its disposer comes after that.
# So it is: Quarkus destroys all that producers have made before the other beans of the same scope; in @PreDestroy the resource
# is closed, and what the bean still has to write cannot be written. Beans with @ApplicationScoped are destroyed before those with
# @Singleton, whoever made them, so they may use it.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
mkdir -p src/main/java/finding src/test/java/finding src/main/resources
cat >src/main/java/finding/Beans.java <<'END_OF_JAVA'
package finding;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

public class Beans {
  public static class Resource {
    public boolean isOpen = true;
  }

  @Singleton
  public static class Resources {
    @Produces
    @Singleton
    Resource open() {
      return new Resource();
    }

    void close(@Disposes Resource resource) {
      resource.isOpen = false;
    }
  }

  @Singleton
  public static class OneUser {
    @Inject Resource resource;

    public boolean isOpen() {
      return resource.isOpen;
    }

    @PreDestroy
    void end() {
      System.out.println("SEEN singleton: open " + resource.isOpen);
    }
  }

  @ApplicationScoped
  public static class ScopedUser {
    @Inject Resource resource;

    public boolean isOpen() {
      return resource.isOpen;
    }

    @PreDestroy
    void end() {
      System.out.println("SEEN application scoped: open " + resource.isOpen);
    }
  }
}
END_OF_JAVA
cat >src/test/java/finding/BeansTest.java <<'END_OF_JAVA'
package finding;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

@QuarkusTest
class BeansTest {
  @Inject Beans.OneUser one;
  @Inject Beans.ScopedUser scoped;

  @Test
  void both() {
    assertTrue(one.isOpen() && scoped.isOpen());
  }
}
END_OF_JAVA
cat >pom.xml <<'END_OF_POM'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>finding</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>io.quarkus</groupId>
        <artifactId>quarkus-bom</artifactId>
        <version>3.33.2</version>
        <type>pom</type>
        <scope>import</scope>
      </dependency>
    </dependencies>
  </dependencyManagement>
  <dependencies>
    <dependency><groupId>io.quarkus</groupId><artifactId>quarkus-arc</artifactId></dependency>
    <dependency><groupId>io.quarkus</groupId><artifactId>quarkus-junit</artifactId><scope>test</scope></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.16.0</version>
      </plugin>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.6.1</version>
      </plugin>
    </plugins>
  </build>
</project>
END_OF_POM
mvn -B -Dmaven.repo.local="$work/repository" test >mvn.log 2>&1 || { cat mvn.log; exit 1; }
echo "packages: $(grep -ao 'powered by Quarkus [0-9.]*' mvn.log)"
seen=$(grep -a '^SEEN' mvn.log | sort)
same "Quarkus" "SEEN application scoped: open true
SEEN singleton: open false" "$seen"
