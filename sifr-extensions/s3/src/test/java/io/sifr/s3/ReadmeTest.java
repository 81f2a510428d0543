package io.sifr.s3;

import io.sifr.support.ModuleReadmeTest;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class ReadmeTest extends ModuleReadmeTest {
  private S3Server server;

  ReadmeTest() {
    super("sifr-s3");
  }

  @BeforeEach
  void start() throws Exception {
    server = new S3Server();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  @Override
  protected Map<String, String> environment() {
    return Map.of(
        "AWS_ENDPOINT_URL_S3", server.endpoint().toString(),
        "AWS_REGION", S3Server.REGION,
        "AWS_ACCESS_KEY_ID", S3Server.KEY,
        "AWS_SECRET_ACCESS_KEY", S3Server.SECRET);
  }
}
