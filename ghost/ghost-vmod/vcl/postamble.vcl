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
