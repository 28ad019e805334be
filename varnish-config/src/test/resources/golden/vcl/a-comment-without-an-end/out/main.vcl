refused, line 2: /* has no end
