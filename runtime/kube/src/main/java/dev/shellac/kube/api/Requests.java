package dev.shellac.kube.api;

import java.io.IOException;
import java.io.InputStream;

/** The verbs of the API, by path. What comes back is JSON. */
public interface Requests {
    /** How a body is meant. */
    enum Body {
        JSON("application/json"),
        MERGE("application/merge-patch+json"),
        /** Server-side apply; JSON is YAML too. */
        APPLY("application/apply-patch+yaml");

        private final String type;

        Body(String type) {
            this.type = type;
        }

        public String type() {
            return type;
        }
    }

    /** What a request brings. */
    record Sent(Body type, String text) {}

    /** What is wanted of objects. */
    enum Form {
        WHOLE("application/json"),
        /** One object, or each of a watch. */
        METADATA("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
        /** For a list. Asked for the wrong one of the two, a server says nothing at all. */
        METADATA_LIST("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");

        private final String accepted;

        Form(String accepted) {
            this.accepted = accepted;
        }

        public String accepted() {
            return accepted;
        }
    }

    /** The answer as it arrives; closing it gives it up. */
    InputStream open(String path, Form form) throws IOException, InterruptedException;

    default byte[] get(String path) throws IOException, InterruptedException {
        return get(path, Form.WHOLE);
    }

    /** As much of an object as is wanted of it. */
    byte[] get(String path, Form form) throws IOException, InterruptedException;

    default byte[] send(String method, String path, Body type, String body) throws IOException, InterruptedException {
        return send(method, path, new Sent(type, body), Form.WHOLE);
    }

    /** With as much of the object that was written in the answer as is wanted of it. */
    byte[] send(String method, String path, Sent sent, Form form) throws IOException, InterruptedException;
}
