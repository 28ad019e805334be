package dev.shellac.operator;

import dev.shellac.kube.write.StatusEdit.Result;
import dev.shellac.model.status.Condition;
import dev.shellac.operator.http.OperatorMetrics;
import dev.shellac.operator.http.OperatorMetrics.End;
import dev.shellac.operator.http.OperatorMetrics.Write;
import dev.shellac.operator.write.EventRecorder;
import dev.shellac.operator.write.EventRecorder.Entry;
import dev.shellac.operator.write.StatusUpdate;
import dev.shellac.operator.write.StatusWriter;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** What is said of statuses that were written: what is wrong is said as an Event too, when it is new. */
record StatusEventReporter(OperatorMetrics metrics, EventRecorder events) implements StatusWriter.Observer {
    private static final System.Logger LOG = System.getLogger(StatusWriter.class.getName());

    @Override
    public void wrote(StatusUpdate update, Result result) {
        metrics.wrote(Write.STATUS, result == Result.WRITTEN ? End.WRITTEN : End.UNCHANGED);
        if (result != Result.WRITTEN) {
            return;
        }
        for (Condition condition : update.bad()) {
            events.record(new Entry(
                    update.object(),
                    update.apiVersion(),
                    update.uid(),
                    "Warning",
                    condition.reason(),
                    condition.message()));
        }
    }

    @Override
    public void failed(StatusUpdate update, IOException why) {
        metrics.wrote(Write.STATUS, End.FAILED);
        LOG.log(Level.WARNING, "the status of {0} could not be written: {1}", update.object(), why.getMessage());
    }
}
