package dev.shellac.operator.write;

import static dev.shellac.testkit.patience.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.GroupKind;
import dev.shellac.model.Name;
import dev.shellac.model.ResourceId;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class EventRecorderTest {
    private static final int LONG = 1 << 20;

    private final AtomicInteger told = new AtomicInteger();
    private final EventRecorder recorder = EventRecorder.start(
            new NoKubeWriter() {
                @Override
                public boolean create(HasMetadata wanted) {
                    told.incrementAndGet();
                    return true;
                }
            },
            InstantSource.system());

    // A pod may complain in other words each time, a mebibyte of them.
    @Test
    void longWordsAreNotKept() throws Exception {
        long before = used();
        for (int i = 0; i < 100; i++) {
            int number = i;
            recorder.record(new EventRecorder.Entry(
                    new ResourceId(GroupKind.GATEWAY, new Name("shop", "edge")),
                    "v1",
                    "uid",
                    "Warning",
                    "NotTaken",
                    number + "x".repeat(LONG)));
            eventually("it is told", () -> told.get() > number);
        }
        assertThat(used() - before).isLessThan(20L * LONG);
        recorder.close();
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
