vcl 4.1;

import ghost;
# The user's line 2, column 13:
import cookie;
# The user's line 5, column 1:
import directors from "libvmod_directors.so";

backend dummy none;

sub vcl_init {
	ghost.init("/run/gateway/ghost.json");
	new router = ghost.ghost_backend();
	router.forward();
}

# What the gateway puts before the user's VCL, after the lines that name its own files:
#
#   vcl 4.1;
#   import ghost;
#   backend dummy none;
#   sub vcl_init { ghost.init("/path/of/ghost.json"); new router = ghost.ghost_backend(); router.forward(); }
#
# Subroutines of the same name are joined in order: this part, the user's, postamble.vcl, Varnish's built-in ones. Nothing here
# ends a subroutine in the normal course, so the user's part always gets its turn.

import proxy;
import std;
import xkey;

sub vcl_recv {
	# Reload and invalidation come in on a socket of their own. Who the client is does not matter: behind a sidecar everybody is
	# 127.0.0.1.
	if (ghost.control()) {
		if (req.method == "PURGE") {
			# Objects know the host and path that they were fetched for, whatever they were rewritten to.
			if (req.http.X-Ghost-Tag) {
				return (synth(200, "Purged " + xkey.purge(ghost.tag(req.http.X-Ghost-Tag))));
			}
			if (router.refuses()) {
				return (synth(400));
			}
			return (synth(200, "Purged " + xkey.purge(ghost.purge_key())));
		}
		if (req.method == "BAN") {
			# Bans are cut at white space and know no escape: a host and an expression without any are one word each, and make
			# no further condition. Expressions say \s and \x22 where they mean them.
			if (req.http.host !~ "^[^\x22\s]+\z" || req.url ~ "[\x22\s]") {
				return (synth(400, "A ban needs a host and an expression without quotation marks or spaces"));
			}
			if (std.ban("obj.http.xkey ~ " + ghost.ban_pattern() + " && obj.http.X-Ghost-Url ~ " + req.url)) {
				return (synth(200, "Ban added"));
			}
			return (synth(400, std.ban_error()));
		}
		if (req.url == "/.varnish-ghost/reload") {
			return (synth(200));
		}
		return (synth(404));
	}
	# One form of a path for all that follows. What has none, and CONNECT and TRACE, nobody gets to see.
	if (router.refuses()) {
		return (synth(400));
	}
	# The route. From here on the request has a backend, also if the answer is 404: ghost gives that itself.
	set req.backend_hint = router.recv(proxy.authority(), hashes=true);
}

sub vcl_hash {
	router.hash();
}

sub vcl_pipe {
	# WebSocket, which ghost asks the backend for. A tunnel is opened only if the backend agrees.
	router.fetch();
}

sub vcl_backend_fetch {
	# Header edits and rewrites act on bereq: the user's part sees what will be sent.
	router.fetch();
}

sub vcl_backend_response {
	# The client gets another answer than this one: that of a further attempt, or a stale object.
	if (router.response()) {
		if (router.again()) {
			return (retry);
		}
		return (abandon);
	}
}

sub vcl_backend_error {
	if (router.response()) {
		if (router.again()) {
			return (retry);
		}
		return (abandon);
	}
}

sub vcl_deliver {
	ghost.deliver();
}

sub vcl_synth {
	# The answers of the control socket and to refused requests are ghost's; all others are the user's.
	if (ghost.answer()) {
		return (deliver);
	}
	# A fetch was abandoned because there is a stale object.
	if (router.stale()) {
		return (restart);
	}
}

# The user's part may read X-Gateway-Listener and X-Gateway-Route from the request.
sub vcl_recv {
	router.tell();
}

# The user's part: ConfigMap infra/vcl, key user.vcl
        
                          
      
                         
                                             

sub vcl_recv {
  cookie.parse(req.http.cookie);
}

# The end of the user's part.

# What the gateway puts after the user's VCL. It is skipped where the user's part returns by itself.

sub vcl_recv {
	# Asked here and not in the preamble, so that a cookie which the user's part took away no longer counts.
	if (router.looks_up()) {
		return (hash);
	}
	if (router.pipes()) {
		return (pipe);
	}
	return (pass);
}

sub vcl_hash {
	# Ghost's key is complete; the built-in one would add the whole URL to it. What is passed needs none.
	if (router.hashed()) {
		return (lookup);
	}
}

sub vcl_backend_response {
	# A cache policy has decided. The built-in rules would overrule it.
	if (router.stored()) {
		return (deliver);
	}
}
