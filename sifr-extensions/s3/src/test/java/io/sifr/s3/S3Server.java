package io.sifr.s3;

import java.net.URI;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A server with the interface of S3, in this JVM, with an empty bucket. */
final class S3Server implements AutoCloseable {
  static final String BUCKET = "bucket";
  static final String REGION = "us-east-1";
  static final String KEY = "key";
  static final String SECRET = "secret";

  private final S3Proxy proxy;
  private final BlobStore objects = new TransientNio2BlobStore();

  S3Server() throws Exception {
    objects.createContainer(BUCKET);
    proxy =
        S3Proxy.builder()
            .blobStore(objects)
            .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, KEY, SECRET)
            .endpoint(URI.create("http://127.0.0.1:0"))
            .build();
    proxy.start();
    while (!proxy.getState().equals("STARTED")) {
      Thread.sleep(1);
    }
  }

  /** Where it listens. */
  URI endpoint() {
    return URI.create("http://127.0.0.1:" + proxy.getPort());
  }

  /** A client of the SDK. */
  S3Client client() {
    return client(new ExecutionInterceptor() {}, 3);
  }

  /**
   * A client of the SDK.
   *
   * @param interceptor sees each request
   * @param attempts how often it sends one that fails
   */
  S3Client client(ExecutionInterceptor interceptor, int attempts) {
    return client(endpoint(), interceptor, attempts);
  }

  /** A client of another server. */
  static S3Client client(URI endpoint, ExecutionInterceptor interceptor, int attempts) {
    return client(endpoint, interceptor, attempts, Apache5HttpClient.create());
  }

  /** A client of another server, with a client of HTTP. */
  static S3Client client(
      URI endpoint, ExecutionInterceptor interceptor, int attempts, SdkHttpClient http) {
    return S3Client.builder()
        .endpointOverride(endpoint)
        .region(Region.of(REGION))
        .forcePathStyle(true)
        .credentialsProvider(
            StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, SECRET)))
        .httpClient(http)
        .overrideConfiguration(
            configuration ->
                configuration
                    .addExecutionInterceptor(interceptor)
                    .retryStrategy(retries -> retries.maxAttempts(attempts)))
        .build();
  }

  @Override
  public void close() throws Exception {
    proxy.stop();
    objects.close();
  }
}
