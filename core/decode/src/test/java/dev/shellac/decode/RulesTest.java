package dev.shellac.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.policy.CachePolicy;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.route.HttpRoute;
import dev.shellac.model.route.ParentRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of the CRDs, one row each: the kind, its spec, and the field and words that refuse it. */
final class RulesTest {
    private static final String PATH = "spec.rules[0].matches[0].path";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "GatewayClass|{controllerName: nobody}|spec.controllerName|'nobody' is not the name of a controller",
                "GatewayClass|{}|spec.controllerName|missing, it is required",
                "Gateway|{gatewayClassName: c}|spec.listeners|missing, it is required",
                "Gateway|{gatewayClassName: c, listeners: []}|spec.listeners|must have at least 1 item",
                "Gateway|{gatewayClassName: c, listeners: [{name: A, port: 80, protocol: HTTP}]}|spec.listeners[0].name|'A' is not a name in lower case",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 0, protocol: HTTP}]}|spec.listeners[0].port|0 is out of range, it goes from 1 to 65535",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: '80', protocol: HTTP}]}|spec.listeners[0].port|must be a whole number, not text",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: HTTP, tls: {options: {a: b}}}]}|spec.listeners|tls must not be specified for protocols ['HTTP', 'TCP', 'UDP']",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: HTTPS, tls: {mode: Passthrough}}]}|spec.listeners|tls mode must be Terminate for protocol HTTPS",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: TLS}]}|spec.listeners|tls mode must be set for protocol TLS",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: HTTPS, tls: {}}]}|spec.listeners[0].tls|certificateRefs or options must be specified when mode is Terminate",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: TCP, hostname: a.com}]}|spec.listeners|hostname must not be specified for protocols ['TCP', 'UDP']",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: HTTP}, {name: a, port: 81, protocol: HTTP}]}|spec.listeners[1]|is there twice: a",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: HTTP}, {name: b, port: 80, protocol: HTTP}]}|spec.listeners|Combination of port, protocol and hostname must be unique for each listener",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: HTTP, hostname: '*.*.com'}]}|spec.listeners[0].hostname|'*.*.com' is not a hostname",
                "Gateway|{gatewayClassName: c, listeners: [{name: a, port: 80, protocol: TCP, filters: {requests: []}}]}|spec.listeners[0]|filters may only be set when protocol is HTTP or HTTPS",
                "Gateway|{gatewayClassName: c, addresses: [{value: 1.2.3.4}, {value: 1.2.3.4}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses|IPAddress values must be unique",
                "Gateway|{gatewayClassName: c, addresses: [{value: ''}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses[0]|must have an IPv4 or IPv6 address",
                "Gateway|{gatewayClassName: c, addresses: [{value: 1.2.3}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses[0]|must have an IPv4 or IPv6 address",
                "Gateway|{gatewayClassName: c, addresses: [{value: 1.2.3.400}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses[0]|must have an IPv4 or IPv6 address",
                "Gateway|{gatewayClassName: c, addresses: [{value: 'fe80::1%eth0'}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses[0]|must have an IPv4 or IPv6 address",
                "Gateway|{gatewayClassName: c, addresses: [{value: somewhere}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses[0]|must have an IPv4 or IPv6 address",
                "Gateway|{gatewayClassName: c, addresses: [{type: Hostname, value: a_b}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses[0]|Hostname value must be empty or contain only valid characters",
                "Gateway|{gatewayClassName: c, addresses: [{routability: k8s.io/x}], listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.addresses[0].routability|Routability must be empty",
                "Gateway|{gatewayClassName: c, infrastructure: {labels: {-a: b}}, listeners: [{name: a, port: 80, protocol: HTTP}]}|spec.infrastructure.labels.-a|Label keys must be in the form",
                "ListenerSet|{parentRef: {name: g}, listeners: [{name: a, protocol: HTTP}]}|spec.listeners[0].port|missing, it is required",
                "HTTPRoute|{hostnames: [a.com:80]}|spec.hostnames[0]|'a.com:80' is not a hostname",
                "HTTPRoute|{parentRefs: [{name: g}, {name: g, sectionName: a}]}|spec.parentRefs|sectionName or port must be specified",
                "HTTPRoute|{parentRefs: [{name: g, sectionName: a}, {name: g, sectionName: a}]}|spec.parentRefs|sectionName or port must be unique",
                "HTTPRoute|{rules: []}|spec.rules|must have at least 1 item",
                "HTTPRoute|{rules: [{name: a}, {name: a}]}|spec.rules|Rule name must be unique within the route",
                "HTTPRoute|{rules: [{backendRefs: [{name: s}]}]}|spec.rules[0].backendRefs[0]|Must have port for Service reference",
                "HTTPRoute|{rules: [{backendRefs: [{name: s, port: 80, weight: -1}]}]}|spec.rules[0].backendRefs[0].weight|-1 is out of range",
                "HTTPRoute|{rules: [{filters: [{type: RequestRedirect, requestRedirect: {}}], backendRefs: [{name: s, port: 80}]}]}|spec.rules[0]|RequestRedirect filter must not be used together with backendRefs",
                "HTTPRoute|{rules: [{filters: [{type: RequestRedirect, requestRedirect: {}}, {type: URLRewrite, urlRewrite: {}}]}]}|spec.rules[0].filters|May specify either",
                "HTTPRoute|{rules: [{filters: [{type: URLRewrite, urlRewrite: {}}, {type: URLRewrite, urlRewrite: {}}]}]}|spec.rules[0].filters|URLRewrite filter cannot be repeated",
                "HTTPRoute|{rules: [{filters: [{type: URLRewrite}]}]}|spec.rules[0].filters[0]|filter.urlRewrite must be specified for URLRewrite filter.type",
                "HTTPRoute|{rules: [{filters: [{type: CORS, cors: {}, urlRewrite: {}}]}]}|spec.rules[0].filters[0]|filter.urlRewrite must be nil if the filter.type is not URLRewrite",
                "HTTPRoute|{rules: [{filters: [{type: Magic}]}]}|spec.rules[0].filters[0].type|'Magic' is none of RequestHeaderModifier",
                "HTTPRoute|{rules: [{matches: [{path: {type: Exact, value: /a}}], filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /b}}}]}]}|spec.rules[0]|When using URLRewrite filter with path.replacePrefixMatch",
                "HTTPRoute|{rules: [{filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath}}}]}]}|spec.rules[0].filters[0].urlRewrite.path|replaceFullPath must be specified",
                "HTTPRoute|{rules: [{filters: [{type: RequestRedirect, requestRedirect: {statusCode: 305}}]}]}|spec.rules[0].filters[0].requestRedirect.statusCode|305 is none of 301, 302, 303, 307, 308",
                "HTTPRoute|{rules: [{filters: [{type: CORS, cors: {allowMethods: ['*', GET]}}]}]}|spec.rules[0].filters[0].cors.allowMethods|cannot contain '*' alongside other values",
                "HTTPRoute|{rules: [{filters: [{type: CORS, cors: {allowOrigins: ['ftp://a']}}]}]}|spec.rules[0].filters[0].cors.allowOrigins[0]|'ftp://a' is not an origin",
                "HTTPRoute|{rules: [{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: s, port: 1}, percent: 1, fraction: {numerator: 1}}}]}]}|spec.rules[0].filters[0].requestMirror|Only one of percent or fraction",
                "HTTPRoute|{rules: [{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: s, port: 1}, fraction: {numerator: 2, denominator: 1}}}]}]}|spec.rules[0].filters[0].requestMirror.fraction|numerator must be less than or equal to denominator",
                "HTTPRoute|{rules: [{filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: a, value: 'x  y'}]}}]}]}|spec.rules[0].filters[0].requestHeaderModifier.set[0].value|is not the value of a header",
                "HTTPRoute|{rules: [{matches: [{headers: [{name: a, value: b}, {name: a, value: c}]}]}]}|spec.rules[0].matches[0].headers[1]|is there twice: a",
                "HTTPRoute|{rules: [{matches: [{method: FETCH}]}]}|spec.rules[0].matches[0].method|'FETCH' is none of GET",
                "HTTPRoute|{rules: [{timeouts: {request: 1s, backendRequest: 2s}}]}|spec.rules[0].timeouts|backendRequest timeout cannot be longer than request timeout",
                "HTTPRoute|{rules: [{timeouts: {request: 1d}}]}|spec.rules[0].timeouts.request|'1d' is not a duration",
                "HTTPRoute|{rules: [{retry: {codes: [200]}}]}|spec.rules[0].retry.codes[0]|200 is out of range",
                "HTTPRoute|{rules: [{sessionPersistence: {type: Header}}]}|spec.rules[0].sessionPersistence|header must be specified for Header type",
                "ReferenceGrant|{from: [], to: [{group: '', kind: Secret}]}|spec.from|must have at least 1 item",
                "BackendTLSPolicy|{targetRefs: [{group: '', kind: Service, name: s}], validation: {hostname: a.com}}|spec.validation|exactly one of the fields in [caCertificateRefs wellKnownCACertificates] must be set",
                "BackendTLSPolicy|{targetRefs: [{group: '', kind: Service, name: s}, {group: '', kind: Service, name: s, sectionName: a}], validation: {hostname: a.com, wellKnownCACertificates: System}}|spec.targetRefs|sectionName must be specified",
                "BackendTLSPolicy|{targetRefs: [{group: '', kind: Service, name: s}], validation: {hostname: a.com, wellKnownCACertificates: System, subjectAltNames: [{type: URI}]}}|spec.validation.subjectAltNames[0]|SubjectAltName element must contain URI",
                "GatewayClassParameters|{logging: {mode: loud}}|spec.logging.mode|'loud' is none of varnishlog",
                "GatewayClassParameters|{service: {type: ClusterIP, loadBalancerClass: x}}|spec.service|loadBalancerClass needs type LoadBalancer",
                "GatewayClassParameters|{service: {type: NodePort, loadBalancerSourceRanges: [10.0.0.0/8]}}|spec.service|loadBalancerSourceRanges needs type LoadBalancer",
                "GatewayClassParameters|{service: {type: ClusterIP, externalTrafficPolicy: Local}}|spec.service|externalTrafficPolicy needs type LoadBalancer or NodePort",
                "GatewayClassParameters|{varnishdExtraArgs: [-p, a=b, -f, /x.vcl]}|spec.varnishdExtraArgs[2]|these are the gateway's own",
                "GatewayClassParameters|{varnishdExtraArgs: [-M127.0.0.1:6082]}|spec.varnishdExtraArgs[0]|these are the gateway's own",
                "GatewayClassParameters|{storage: {size: 1Gi}, varnishdExtraArgs: [-smalloc]}|spec|exclude each other",
                "GatewayClassParameters|{storage: {type: file}}|spec.storage|type file needs a size",
                "GatewayClassParameters|{storage: {size: much}}|spec.storage.size|'much' is not an amount",
                "GatewayClassParameters|{storage: {type: umem, size: 1Gi}}|spec.storage.type|'umem' is none of malloc, file",
                "GatewayClassParameters|{podDisruptionBudget: {minAvailable: 1, maxUnavailable: 1}}|spec.podDisruptionBudget|exactly one of minAvailable and maxUnavailable",
                "GatewayClassParameters|{podDisruptionBudget: {}}|spec.podDisruptionBudget|exactly one of minAvailable and maxUnavailable",
                "GatewayClassParameters|{podDisruptionBudget: {minAvailable: half}}|spec.podDisruptionBudget.minAvailable|'half' is not a number, or per cent",
                "GatewayClassParameters|{replicas: 2, autoscaling: {maxReplicas: 3}}|spec|replicas and autoscaling exclude each other",
                "GatewayClassParameters|{replicas: -1}|spec.replicas|-1 is out of range",
                "GatewayClassParameters|{autoscaling: {minReplicas: 3, maxReplicas: 2}}|spec.autoscaling|minReplicas must not be more than maxReplicas",
                "GatewayClassParameters|{autoscaling: {}}|spec.autoscaling.maxReplicas|missing",
                "GatewayClassParameters|{trustedProxies: [10.0.0.1]}|spec.trustedProxies[0]|'10.0.0.1' is not a network",
                "GatewayClassParameters|{trustedProxies: [10.0.0.0/33]}|spec.trustedProxies[0]|is not a network",
                "GatewayClassParameters|{trustedProxies: ['fd00:::/8']}|spec.trustedProxies[0]|is not a network",
                "GatewayClassParameters|{proxyProtocol: true, proxyProtocolFrom: [10.0.0.1]}|spec.proxyProtocolFrom[0]|'10.0.0.1' is not a network",
                "GatewayClassParameters|{proxyProtocolFrom: [10.0.0.0/8]}|spec|proxyProtocolFrom needs proxyProtocol: true",
                "GatewayClassParameters|{extraVolumes: [{name: varnish-run}]}|spec.extraVolumes[0].name|a volume of the gateway's own",
                "GatewayClassParameters|{extraVolumes: [{name: varnish-storage}]}|spec.extraVolumes[0].name|a volume of the gateway's own",
                "GatewayClassParameters|{extraVolumes: [{name: varnish-keys}]}|spec.extraVolumes[0].name|a volume of the gateway's own",
                "GatewayClassParameters|{extraVolumes: [{name: tmp}]}|spec.extraVolumes[0].name|a volume of the gateway's own",
                "GatewayClassParameters|{extraVolumes: [{name: a}, {name: a}]}|spec.extraVolumes[1]|is there twice: a",
                "GatewayClassParameters|{extraEnv: [{value: a}]}|spec.extraEnv[0].name|missing",
                "GatewayClassParameters|{resources: {limits: {memory: lots}}}|spec.resources.limits.memory|'lots' is not an amount",
                "GatewayClassParameters|{topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}|spec.topologySpreadConstraints[0].topologyKey|missing",
                "GatewayClassParameters|{http2: maybe}|spec.http2|must be true or false",
                "GatewayClassParameters|{serviceMonitor: {interval: often}}|spec.serviceMonitor.interval|'often' is not a time",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}, defaultTTL: soon}|spec.defaultTTL|is not a duration",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}, defaultTTL: 1h5}|spec.defaultTTL|is not a duration",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}, defaultTTL: 9000000h}|spec.defaultTTL|is too long",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}, defaultTTL: 0s}|spec.defaultTTL|must be greater than zero",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}, forcedTTL: 1m, grace: -1s}|spec.grace|must not be negative",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}}|spec|exactly one of defaultTTL and forcedTTL",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}, defaultTTL: 1m, forcedTTL: 1m}|spec|exactly one of defaultTTL and forcedTTL",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x}, defaultTTL: 1m, cacheKey: {queryParameters: {include: [a], exclude: [b]}}}|spec.cacheKey.queryParameters|include and exclude exclude each other",
                "VarnishCachePolicy|{targetRef: {group: '', kind: Service, name: x}, defaultTTL: 1m}|spec.targetRef|must be a Gateway or HTTPRoute",
                "VarnishCachePolicy|{targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: x, sectionName: a}, defaultTTL: 1m}|spec.targetRef|it needs kind HTTPRoute",
                "VarnishCacheInvalidation|{gatewayRef: {name: g}, type: Purge, hostname: a.com, paths: [x]}|spec|a path of a Purge begins with /",
                "VarnishCacheInvalidation|{gatewayRef: {name: g}, type: Purge, hostname: a.com, paths: [/a, '/b c']}|spec|a path of a Purge begins with /",
                "VarnishCacheInvalidation|{gatewayRef: {name: g}, type: Ban, hostname: a.com, paths: []}|spec.paths|must have at least 1 item",
                "VarnishCacheInvalidation|{gatewayRef: {name: g}, type: Ban, hostname: '*.a.com', paths: [x]}|spec.hostname|is not a hostname without wildcard",
                "Service|{ports: [{port: 70000}]}|spec.ports[0].port|70000 is out of range",
            })
    void refused(String kind, String spec, String path, String words) {
        String apiVersion = Yaml.kinds().getOrDefault(kind, "");
        assertThat(Yaml.decode(Yaml.object(apiVersion, kind, spec)).findings())
                .as(kind + " " + spec)
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Finding.Severity.ERROR);
                    assertThat(finding.path()).isEqualTo(path);
                    assertThat(finding.message()).contains(words);
                    assertThat(finding.at().line()).isEqualTo(4);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "a, must be an absolute path and start with '/'",
        "/a//b, must not contain '//'",
        "/a/./b, must not contain '/./'",
        "/a/../b, must not contain '/../'",
        "/a%2fb, must not contain '%2f'",
        "/a%2Fb, must not contain '%2F'",
        "/a/.., must not end with '/..'",
        "/a/., must not end with '/.'",
        "/a b, must only contain valid characters",
        "/a%zz, must only contain valid characters",
    })
    void paths(String value, String words) {
        for (String type : new String[] {"Exact", "PathPrefix"}) {
            assertThat(Yaml.decode(path(type, value)).errors()).singleElement().satisfies(finding -> {
                assertThat(finding.path()).isEqualTo(PATH);
                assertThat(finding.message()).contains(words);
            });
        }
        assertThat(Yaml.decode(path("RegularExpression", value)).findings()).isEmpty();
    }

    private static String path(String type, String value) {
        return Yaml.route("{rules: [{matches: [{path: {type: " + type + ", value: '" + value + "'}}]}]}");
    }

    @Test
    void aRouteWithMoreThan128Matches() {
        String matches = "[" + "{path: {value: /a}}, ".repeat(63) + "{path: {value: /a}}]";
        String two = "{matches: " + matches + "}, {matches: " + matches + "}";
        assertThat(Yaml.decode(Yaml.route("{rules: [" + two + "]}")).findings()).isEmpty();
        assertThat(Yaml.messages(Yaml.route("{rules: [" + two + ", {}]}")))
                .singleElement()
                .asString()
                .contains("total number of matches across all rules");
    }

    @Test
    void aThousandMatches() {
        String matches = "[" + "{path: {value: /a}}, ".repeat(999) + "{path: {value: /a}}]";
        assertThat(Yaml.messages(Yaml.route("{rules: [{matches: " + matches + "}]}")))
                .containsExactly("test.yaml:4: HTTPRoute ns/x: spec.rules[0].matches: has 1000 items, at most 64 are"
                        + " allowed");
    }

    // The pattern of the CRD needs exponential time in a backtracking matcher for this one.
    @Test
    @Timeout(5)
    void aLongHeaderValueIsDecidedAtOnce() {
        String value = "a".repeat(4000) + "\\u0001";
        assertThat(Yaml.decode(Yaml.route("{rules: [{matches: [{headers: [{name: a, value: \"" + value + "\"}]}]}]}"))
                        .errors())
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "10s, 10000", "1h30m, 5400000", "1.5s, 1500", "500ms, 500", "-2s, -2000", "1us, 0"})
    void durationsAsGoWritesThem(String text, long millis) {
        String policy = Yaml.object(
                "gateway.varnish-software.com/v1alpha1",
                "VarnishCachePolicy",
                "{targetRef: {group: g, kind: Gateway, name: x}, grace: '" + text + "'}");
        Decoded stored = Decoder.decodeStored(List.of(Source.of("stored.yaml", policy)));
        assertThat(stored.objects())
                .as("%s", stored.findings())
                .extracting(found -> ((CachePolicy) found.resource()).grace().map(Duration::toMillis))
                .containsExactly(Optional.of(millis));
    }

    /** It was stored before there was a rule; the translation refuses it where its author looks. */
    @Test
    void whatIsStoredIsNotAskedByAdmission() {
        String policy = Yaml.object(
                "gateway.varnish-software.com/v1alpha1",
                "VarnishCachePolicy",
                "{targetRef: {group: g, kind: Gateway, name: x}}");
        assertThat(Decoder.decode(List.of(Source.of("new.yaml", policy))).errors())
                .hasSize(1);
        assertThat(Decoder.decodeStored(List.of(Source.of("stored.yaml", policy)))
                        .errors())
                .isEmpty();
    }

    /** Its author is told in its status, for which it has to be there. */
    @Test
    void whatIsStoredAndCannotBeReadIsThereInOutline() {
        String route = Yaml.object(
                "gateway.networking.k8s.io/v1",
                "HTTPRoute",
                "{parentRefs: [{name: edge}], rules: [{filters: [{type: Teleport}]}]}");
        assertThat(Decoder.decode(List.of(Source.of("new.yaml", route))).objects())
                .isEmpty();
        Decoded stored = Decoder.decodeStored(List.of(Source.of("stored.yaml", route)));
        assertThat(stored.errors()).hasSize(1);
        assertThat(stored.objects()).hasSize(1);
        var found = (HttpRoute) stored.objects().getFirst().resource();
        assertThat(found.meta().decodeError().orElseThrow()).startsWith("spec.rules[0].filters[0].type: ");
        assertThat(found.parents()).extracting(ParentRef::name).containsExactly("edge");
        assertThat(found.rules()).isEmpty();
    }

    @Test
    void aBanMayHaveAnyPattern() {
        assertThat(Yaml.decode(Yaml.object(
                                "gateway.varnish-software.com/v1alpha1",
                                "VarnishCacheInvalidation",
                                "{gatewayRef: {name: g}, type: Ban, hostname: a.com, paths: ['^/v1/.*', 'a b\"c']}"))
                        .findings())
                .isEmpty();
    }

    @Test
    void amountsAreBytes() {
        for (String size : List.of("1536Mi", "'1.5Gi'", "1610612736", "'1610612736'", "1572864Ki")) {
            String parameters = Yaml.object(
                            "gateway.varnish-software.com/v1alpha1",
                            "GatewayClassParameters",
                            "{storage: {size: " + size + "}, resources: {limits: {memory: " + size + "}}}")
                    .replace(", namespace: ns", "");
            GatewayClassParameters read = Yaml.only(GatewayClassParameters.class, parameters);
            assertThat(read.storage().flatMap(GatewayClassParameters.Storage::bytes))
                    .contains(3L << 29);
            assertThat(read.pod().memoryLimit()).contains(3L << 29);
        }
    }
}
