refused, line 2, column 1: /* has no end
