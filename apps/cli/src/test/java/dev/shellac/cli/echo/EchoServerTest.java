package dev.shellac.cli.echo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

final class EchoServerTest {
    @Test
    void anAnswerHasTheNameACountAndTheRequest() throws IOException, InterruptedException {
        try (EchoServer server = EchoServer.start("hello", 0);
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/a?b=%20"))
                    .header("X-Tester", "yes")
                    .build();
            client.send(request, BodyHandlers.ofString());
            HttpResponse<String> second = client.send(request, BodyHandlers.ofString());
            assertThat(second.body())
                    .startsWith("hello\nanswer 2\nGET /a?b=%20\n")
                    .contains("X-tester: yes\n");
            assertThat(second.headers().firstValue("X-Backend")).hasValue("hello");
        }
    }

    @Test
    void aPortThatIsTakenIsTold() throws IOException {
        try (EchoServer server = EchoServer.start("one", 0)) {
            assertThatThrownBy(() -> EchoServer.start("two", server.port())).isInstanceOf(BindException.class);
        }
    }
}
