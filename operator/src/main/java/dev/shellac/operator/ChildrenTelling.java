package dev.shellac.operator;

import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.End;
import dev.shellac.operator.http.OperatorMetrics.Write;
import dev.shellac.operator.write.ChildrenDesk;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** What is said of children that were written. */
record ChildrenTelling(OperatorMetrics metrics) implements ChildrenDesk.Listener {
    private static final System.Logger LOG = System.getLogger(ChildrenDesk.class.getName());

    @Override
    public void wrote(ObjectKey object) {
        metrics.wrote(Write.CHILD, End.WRITTEN);
        LOG.log(Level.INFO, "{0} is applied", object);
    }

    @Override
    public void failed(ObjectKey object, IOException why) {
        metrics.wrote(Write.CHILD, End.FAILED);
        LOG.log(Level.WARNING, "{0} could not be written: {1}", object, why.getMessage());
    }
}
