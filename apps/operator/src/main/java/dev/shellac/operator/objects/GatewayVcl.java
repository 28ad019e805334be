package dev.shellac.operator.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.operator.children.Configuration;
import dev.shellac.translate.plan.GatewayPlan;
import dev.shellac.translate.resolve.LastVcl;
import dev.shellac.translate.resolve.UserVcl;
import dev.shellac.varnishconfig.vcl.MainVcl;
import dev.shellac.varnishconfig.vcl.UserVclPlace;
import dev.shellac.varnishconfig.wire.Digest;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The VCL of one Gateway: what its pods are given, and what they may run. */
final class GatewayVcl {
    /** What a VCL is made of. */
    private record Parts(Optional<UserVcl> user, Optional<Clients> clients) {}

    private record CachedVcl(
            Parts parts, Optional<UserVcl> user, Optional<String> text, String hash, Optional<String> fault) {}

    /**
     * What pods are given.
     *
     * @param text main.vcl; nothing where none can be made
     * @param good the last that pods took, while they refuse that one
     * @param fault why the user's part is another than the one that was asked for
     */
    record Current(Optional<String> text, String hash, Optional<String> good, Optional<String> fault) {}

    private Optional<CachedVcl> last = Optional.empty();
    private Optional<String> good = Optional.empty();

    /**
     * What pods are given now.
     *
     * @param isRefused whether pods refuse what they were given last
     */
    Current settle(GatewayPlan plan, LastVcl.Store store, boolean isRefused) {
        CachedVcl cached = make(plan, store);
        good = isRefused ? good(plan, cached, store) : Optional.empty();
        return new Current(cached.text(), cached.hash(), good, cached.fault());
    }

    /** Of all that pods may run, a line each. */
    String hashes() {
        return Stream.concat(last.stream().map(CachedVcl::hash), good.stream().map(GatewayVcl::hash))
                .collect(Collectors.joining("\n"));
    }

    /** The user's part of the VCL that has this hash. */
    Optional<UserVcl> userOf(String hash) {
        return last.filter(cached -> cached.hash().equals(hash)).flatMap(CachedVcl::user);
    }

    // A user's part that has no end would swallow ours: then the last good one stays, and the status says why. Where
    // none is known, pods keep what they have: without a user's part they would serve what it may be there to forbid.
    private CachedVcl make(GatewayPlan plan, LastVcl.Store store) {
        var parts = new Parts(plan.userVcl(), plan.clients());
        if (last.filter(cached -> cached.parts().equals(parts)).isPresent()) {
            return last.get();
        }
        CachedVcl next = switch (Configuration.vcl(plan, plan.userVcl())) {
            case MainVcl.Text text -> make(parts, plan.userVcl(), text, Optional.empty());
            case MainVcl.Refused refused -> {
                UserVcl bad = plan.userVcl().orElseThrow();
                Optional<String> why = Optional.of(UserVclPlace.words(bad, refused));
                // What pods are known to have, before what was only written for them.
                Optional<UserVcl> instead = store.find(bad.configMap(), bad.key())
                        .or(() -> last.filter(cached -> cached.text().isPresent())
                                .map(cached -> cached.user().map(UserVcl::text).orElse("")))
                        .map(text -> new UserVcl(bad.configMap(), bad.key(), text));
                yield instead.isPresent() && Configuration.vcl(plan, instead) instanceof MainVcl.Text text
                        ? make(parts, instead, text, why)
                        : new CachedVcl(parts, Optional.empty(), Optional.empty(), "", why);
            }
        };
        last = Optional.of(next);
        return next;
    }

    // What only varnishd refuses is found out by pods: one that starts then has nothing to begin with, unless it is
    // given the last good one.
    private static Optional<String> good(GatewayPlan plan, CachedVcl cached, LastVcl.Store store) {
        return cached.user()
                .flatMap(user -> store.find(user.configMap(), user.key())
                        .filter(text -> !text.equals(user.text()))
                        .map(text -> new UserVcl(user.configMap(), user.key(), text)))
                .flatMap(user -> Configuration.vcl(plan, Optional.of(user)) instanceof MainVcl.Text text
                        ? Optional.of(text.vcl())
                        : Optional.empty());
    }

    private static CachedVcl make(Parts parts, Optional<UserVcl> user, MainVcl.Text text, Optional<String> fault) {
        return new CachedVcl(parts, user, Optional.of(text.vcl()), hash(text.vcl()), fault);
    }

    private static String hash(String text) {
        return "sha256:" + Digest.of(text.getBytes(UTF_8));
    }
}
