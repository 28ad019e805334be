package dev.shellac.model.route;

import dev.shellac.model.Hostname;
import dev.shellac.model.ObjectRef;
import dev.shellac.model.Port;
import java.util.List;
import java.util.Optional;

/** What is done to a request or its response on the way. */
public sealed interface Filter {
    /** The name of the type in the API. */
    String typeName();

    /** Edits the headers of the request. */
    record RequestHeaders(HeaderEdits edits) implements Filter {
        @Override
        public String typeName() {
            return "RequestHeaderModifier";
        }
    }

    /** Edits the headers of the response. */
    record ResponseHeaders(HeaderEdits edits) implements Filter {
        @Override
        public String typeName() {
            return "ResponseHeaderModifier";
        }
    }

    /** Answers with a redirect. */
    record Redirect(
            Optional<String> scheme,
            Optional<Hostname> hostname,
            Optional<PathEdit> path,
            Optional<Port> port,
            int statusCode)
            implements Filter {
        @Override
        public String typeName() {
            return "RequestRedirect";
        }
    }

    /** Changes where the backend believes the request was going. */
    record Rewrite(Optional<Hostname> hostname, Optional<PathEdit> path) implements Filter {
        @Override
        public String typeName() {
            return "URLRewrite";
        }
    }

    /** Sends a copy of the request elsewhere. */
    record Mirror(BackendRef backend, Share share) implements Filter {
        @Override
        public String typeName() {
            return "RequestMirror";
        }
    }

    /** The part of the requests that is mirrored. */
    record Share(int numerator, int denominator) {
        public static final Share ALL = new Share(100, 100);
    }

    /** Answers preflights and marks responses for other origins. */
    record Cors(
            List<String> allowOrigins,
            List<String> allowMethods,
            List<String> allowHeaders,
            List<String> exposeHeaders,
            Credentials credentials,
            int maxAgeSeconds)
            implements Filter {
        public Cors {
            allowOrigins = List.copyOf(allowOrigins);
            allowMethods = List.copyOf(allowMethods);
            allowHeaders = List.copyOf(allowHeaders);
            exposeHeaders = List.copyOf(exposeHeaders);
        }

        @Override
        public String typeName() {
            return "CORS";
        }
    }

    /** Whether another origin may send cookies along. */
    enum Credentials {
        ALLOWED,
        WITHHELD
    }

    /** A filter of another API. */
    record Extension(ObjectRef target) implements Filter {
        @Override
        public String typeName() {
            return "ExtensionRef";
        }
    }

    /** Asks another server first. */
    record ExternalAuth(String protocol, BackendRef backend) implements Filter {
        @Override
        public String typeName() {
            return "ExternalAuth";
        }
    }
}
