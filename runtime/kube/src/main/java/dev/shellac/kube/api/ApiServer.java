package dev.shellac.kube.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A real API server. Requests are not repeated here: who asks knows what a failure means. */
public final class ApiServer implements Requests {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient http;
    private final String base;

    private ApiServer(HttpClient http, String base) {
        this.http = http;
        this.base = base;
    }

    /** The cluster of the client's configuration. */
    public static ApiServer of(KubernetesClient client) {
        String url = client.getConfiguration().getMasterUrl();
        return new ApiServer(client.getHttpClient(), url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
    }

    /** The configuration of where we are: {@code KUBECONFIG}, or the pod's own account. */
    public static Config configuration() {
        Config config = Config.autoConfigure(null);
        config.setRequestRetryBackoffLimit(0);
        config.setRequestTimeout((int) PATIENCE.toMillis());
        // A server takes 100 streams in a connection of HTTP/2, and Java's client fails whatever comes on top instead
        // of
        // opening another. Each watch is one, and each write that an admission webhook keeps waiting.
        config.setHttp2Disable(true);
        config.setUserAgent("shellac-operator");
        return config;
    }

    @Override
    public InputStream open(String path, Form form) throws IOException, InterruptedException {
        HttpRequest request = http.newHttpRequestBuilder()
                .uri(base + path)
                .header("Accept", form.accepted())
                .forStreaming()
                .build();
        HttpResponse<InputStream> response = answer(request, InputStream.class);
        if (!response.isSuccessful()) {
            try (InputStream body = response.body()) {
                throw fault(response.code(), body.readAllBytes());
            }
        }
        return response.body();
    }

    @Override
    public byte[] get(String path, Form form) throws IOException, InterruptedException {
        return bytes(http.newHttpRequestBuilder().uri(base + path).header("Accept", form.accepted()));
    }

    @Override
    public byte[] send(String method, String path, Sent sent, Form form) throws IOException, InterruptedException {
        return bytes(http.newHttpRequestBuilder()
                .uri(base + path)
                .header("Accept", form.accepted())
                .method(method, sent.type().type(), sent.text()));
    }

    private byte[] bytes(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<byte[]> response =
                answer(request.timeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).build(), byte[].class);
        byte[] body = response.body() == null ? new byte[0] : response.body();
        if (!response.isSuccessful()) {
            throw fault(response.code(), body);
        }
        return body;
    }

    private <T> HttpResponse<T> answer(HttpRequest request, Class<T> type) throws IOException, InterruptedException {
        var pending = http.sendAsync(request, type);
        try {
            return pending.get(PATIENCE.plusSeconds(5).toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io
                    ? new IOException(words(io), io)
                    : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + PATIENCE.toSeconds() + " s", e);
        } finally {
            pending.cancel(true);
        }
    }

    private static String words(IOException e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private static ApiFault fault(int code, byte[] body) {
        String reason = "";
        String message = "";
        try {
            JsonNode status = JSON.readTree(body);
            if (status != null) {
                reason = status.path("reason").asText();
                message = status.path("message").asText();
            }
        } catch (IOException e) {
            message = "HTTP " + code + " without a status that can be read";
        }
        return new ApiFault(code, reason, message);
    }
}
