package dev.shellac.testkit.house;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * The part of a pom.xml that the module graph is about. Profiles count: what they can add, the build can have.
 *
 * @param settings the properties that it sets, and {@link #COMPILER_ARGS} where it configures those
 */
record Pom(String artifactId, List<String> modules, List<Dependency> dependencies, List<String> settings) {
    static final String COMPILER_ARGS = "compilerArgs";
    static final String GROUP = "dev.shellac";
    static final String PREFIX = "shellac-";

    record Dependency(String groupId, String artifactId, String version, String scope) {
        boolean isOurs() {
            return groupId.equals(GROUP) || groupId.equals("${project.groupId}");
        }

        boolean isMain() {
            return !scope.equals("test");
        }

        /** The folder of one of our modules, which its artifact is named after. */
        String module() {
            return artifactId.startsWith(PREFIX) ? artifactId.substring(PREFIX.length()) : artifactId;
        }
    }

    static Pom read(Path file) throws IOException {
        Element project = parse(file);
        var modules = new ArrayList<String>();
        var dependencies = new ArrayList<Dependency>();
        var settings = new ArrayList<String>();
        var parts = new ArrayList<>(List.of(project));
        each(project, "profiles", profiles -> each(profiles, "profile", parts::add));
        for (Element part : parts) {
            each(part, "modules", list -> each(list, "module", module -> modules.add(text(module))));
            each(part, "dependencies", list -> each(list, "dependency", found -> dependencies.add(dependency(found))));
            each(part, "properties", list -> children(list).forEach(found -> settings.add(found.getTagName())));
        }
        if (project.getElementsByTagName(COMPILER_ARGS).getLength() > 0
                || project.getElementsByTagName("compilerArgument").getLength() > 0) {
            settings.add(COMPILER_ARGS);
        }
        return new Pom(child(project, "artifactId"), modules, dependencies, settings);
    }

    private static Dependency dependency(Element found) {
        return new Dependency(
                child(found, "groupId"), child(found, "artifactId"), child(found, "version"), child(found, "scope"));
    }

    private static Element parse(Path file) throws IOException {
        try {
            var factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            var builder = factory.newDocumentBuilder();
            // The default handler prints to the console what the exception says anyway.
            builder.setErrorHandler(null);
            return builder.parse(file.toFile()).getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + " cannot be read as XML: " + e.getMessage(), e);
        }
    }

    private static void each(Element parent, String tag, Consumer<Element> action) {
        children(parent).stream()
                .filter(child -> child.getTagName().equals(tag))
                .forEach(action);
    }

    private static String child(Element parent, String tag) {
        return children(parent).stream()
                .filter(child -> child.getTagName().equals(tag))
                .map(Pom::text)
                .findFirst()
                .orElse("");
    }

    private static List<Element> children(Element parent) {
        var children = new ArrayList<Element>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }

    private static String text(Element element) {
        return element.getTextContent().strip();
    }
}
