package dev.shellac.cli.run;

import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.translate.resolve.UserVcl;
import dev.shellac.varnishconfig.vcl.MainVcl;
import dev.shellac.varnishconfig.vcl.UserVclPlace;
import dev.shellac.varnishd.Varnishd;
import dev.shellac.varnishd.VclOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The VCL of one varnishd: loaded when the user's part changed, or what is accepted of clients, and only then. A part that is refused
 * changes nothing; what was in use stays, and after a start it is the last part that was ever taken. For one thread.
 */
final class VclChange {
    private final Files files;
    private Optional<Tried> tried = Optional.empty();
    private Optional<Clients> live = Optional.empty();
    private int count;

    private record Tried(Clients clients, Optional<UserVcl> user, Optional<String> fault) {}

    /** Where VCL is kept. */
    interface Files {
        Path table();

        /** Writes it where varnishd reads it. */
        Path write(String name, String text) throws IOException;

        /** The user's part that was last taken; none if there never was one. */
        Optional<UserVcl> lastGood();

        void keep(Optional<UserVcl> user);
    }

    VclChange(Files files) {
        this.files = files;
    }

    /** A varnishd that was just started has no VCL. */
    void forget() {
        tried = Optional.empty();
        live = Optional.empty();
    }

    boolean isLive() {
        return live.isPresent();
    }

    /** Whether it is known that varnishd took or refused what it was last asked to use. */
    boolean isSettled() {
        return tried.isPresent();
    }

    /** Has it use this part; says why not. */
    Optional<String> use(Varnishd varnishd, Clients clients, Optional<UserVcl> user) throws IOException {
        if (tried.filter(last -> last.clients().equals(clients) && last.user().equals(user))
                .isPresent()) {
            return tried.get().fault();
        }
        Attempt attempt = attempt(varnishd, clients, user);
        if (attempt.taken()) {
            live = Optional.of(clients);
            files.keep(user);
        } else if (live.filter(clients::equals).isEmpty()) {
            // What is accepted of clients does not wait for the user to mend a part.
            Optional<UserVcl> last = files.lastGood();
            if (last.isPresent() && attempt(varnishd, clients, last).taken()) {
                live = Optional.of(clients);
            }
        }
        // What could not even be asked is asked again.
        tried = attempt.settled() ? Optional.of(new Tried(clients, user, attempt.fault())) : Optional.empty();
        return attempt.fault();
    }

    private record Attempt(boolean settled, Optional<String> fault) {
        boolean taken() {
            return fault.isEmpty();
        }
    }

    private Attempt attempt(Varnishd varnishd, Clients clients, Optional<UserVcl> user) throws IOException {
        return switch (MainVcl.merge(files.table().toString(), clients, user)) {
            case MainVcl.Refused refused -> new Attempt(true, user.map(part -> UserVclPlace.words(part, refused)));
            case MainVcl.Text text -> {
                Path file = files.write("main-" + ++count + ".vcl", text.vcl());
                yield switch (varnishd.load(file)) {
                    case VclOutcome.Live taken -> new Attempt(true, Optional.empty());
                    case VclOutcome.Refused refused ->
                        new Attempt(
                                true,
                                Optional.of(UserVclPlace.inUsersLines(refused.words(), file.toString(), text.vcl())));
                    case VclOutcome.Unknown unknown -> new Attempt(false, Optional.of(unknown.why()));
                };
            }
        };
    }
}
