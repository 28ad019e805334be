package dev.shellac.operator;

import dev.shellac.kube.write.StatusEdit.Result;
import dev.shellac.model.status.Condition;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.End;
import dev.shellac.operator.http.OperatorMetrics.Write;
import dev.shellac.operator.write.EventDesk;
import dev.shellac.operator.write.EventDesk.Note;
import dev.shellac.operator.write.StatusDesk;
import dev.shellac.operator.write.Wish;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** What is said of statuses that were written: what is wrong is said as an Event too, when it is new. */
record StatusTelling(OperatorMetrics metrics, EventDesk events) implements StatusDesk.Listener {
    private static final System.Logger LOG = System.getLogger(StatusDesk.class.getName());

    @Override
    public void wrote(Wish wish, Result result) {
        metrics.wrote(Write.STATUS, result == Result.WRITTEN ? End.WRITTEN : End.UNCHANGED);
        if (result != Result.WRITTEN) {
            return;
        }
        for (Condition condition : wish.bad()) {
            events.tell(new Note(
                    wish.object(), wish.apiVersion(), wish.uid(), "Warning", condition.reason(), condition.message()));
        }
    }

    @Override
    public void failed(Wish wish, IOException why) {
        metrics.wrote(Write.STATUS, End.FAILED);
        LOG.log(Level.WARNING, "the status of {0} could not be written: {1}", wish.object(), why.getMessage());
    }
}
