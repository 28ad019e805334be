package dev.shellac.operator.controller;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.shellac.kube.write.ObjectKey;
import dev.shellac.operator.controller.GatewayRenderer.Changes;
import dev.shellac.operator.controller.GatewayRenderer.Form;
import dev.shellac.operator.controller.GatewayRenderer.Rendered;
import dev.shellac.operator.pods.ChangePusher;
import dev.shellac.operator.pods.ConfigRevision;
import dev.shellac.operator.pods.PodRegistry;
import dev.shellac.operator.write.NoKubeWriter;
import dev.shellac.operator.write.WorkQueue;
import dev.shellac.varnishconfig.changes.ChangeSet;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Changes are told at once and written now and then; pods that cannot be told read what is written, and do not wait for it. */
final class GatewayConfigWriterTest {
    private static final PodRegistry.Key GATEWAY = new PodRegistry.Key("shop", "edge");
    private static final Instant START = Instant.EPOCH;

    private final Shelf cluster = new Shelf();
    private final Walker courier = new Walker("w");
    private final GatewayConfigWriter configWriter = new GatewayConfigWriter();
    private Instant now = START;

    @Test
    void theFirstChangeIsWrittenAndTheNextOnesAreTold() throws Exception {
        change("whole", "");
        change("whole", "a");
        assertThat(courier.told).containsExactly("a");
        assertThat(cluster.changes()).as("not yet").isEmpty();
        assertThat(configWriter.flushAt()).contains(START.plusSeconds(1));
        change("whole", "b");
        assertThat(courier.told).containsExactly("a", "b");
        assertThat(configWriter.flushAt()).as("since the first of them").contains(START.plusSeconds(1));

        now = START.plusSeconds(1);
        assertThat(configWriter.isDue(now)).isTrue();
        change("whole", "b");
        assertThat(cluster.changes()).isEqualTo("b");
        assertThat(courier.told).containsExactly("a", "b");
        assertThat(configWriter.flushAt()).isEmpty();
        assertThat(cluster.stamp("number"))
                .as("what is written is newer than what was told")
                .isEqualTo("4");
    }

    @Test
    void aThousandChangesAreAHandfulOfWrites() throws Exception {
        change("whole", "");
        for (int i = 0; i < 1000; i++) {
            now = now.plusMillis(10);
            change("whole", "c" + i);
        }
        assertThat(courier.told).hasSize(1000);
        assertThat(cluster.writes).hasSizeLessThan(15);
    }

    @Test
    void whatAPodDidNotTakeIsWrittenAtOnce() throws Exception {
        change("whole", "");
        change("whole", "a");
        assertThat(configWriter.isDue(now)).isFalse();
        courier.lose();
        assertThat(configWriter.isDue(now)).isTrue();
        change("whole", "a");
        assertThat(cluster.changes()).isEqualTo("a");
        assertThat(configWriter.isDue(now)).isFalse();
    }

    @Test
    void wherePodsCannotBeToldChangesAreWrittenAtOnce() throws Exception {
        courier.all = false;
        change("whole", "");
        change("whole", "a");
        assertThat(courier.told).as("those that can be are").containsExactly("a");
        assertThat(cluster.changes()).isEqualTo("a");
    }

    @Test
    void whatWasToldAndTakenBackIsWrittenAgain() throws Exception {
        change("whole", "");
        change("whole", "a");
        change("whole", "");
        assertThat(courier.told).containsExactly("a", "");
        int before = cluster.writes.size();
        courier.lose();
        change("whole", "");
        assertThat(cluster.writes).as("though it is what was written last").hasSize(before + 1);
        assertThat(cluster.changes()).isEmpty();
    }

    @Test
    void aNewWholeIsNotTold() throws Exception {
        change("whole", "");
        change("whole", "a");
        change("another", "");
        assertThat(courier.told).containsExactly("a");
        assertThat(cluster.whole()).isEqualTo("another");
        assertThat(cluster.changes()).isEmpty();
        assertThat(configWriter.flushAt()).isEmpty();
        change("another", "b");
        assertThat(courier.told).containsExactly("a", "b");
    }

    @Test
    void anotherProcessSignsThoughAllIsAsItWantsIt() throws Exception {
        change("whole", "");
        change("whole", "told, and taken back before it was written");
        var next = new GatewayConfigWriter();
        var other = new Walker("x");
        write(next, other, "whole", "");
        assertThat(cluster.changes()).isEmpty();
        assertThat(cluster.stamp("writer"))
                .as("pods drop what the one before told them when they see another writer")
                .isEqualTo("x");
        write(next, other, "whole", "a");
        assertThat(other.told).containsExactly("a");
    }

    @Test
    void whatPodsHaveIsWrittenBeforeTheEnd() throws Exception {
        change("whole", "");
        change("whole", "a");
        assertThat(cluster.changes()).isEmpty();
        assertThat(configWriter.isUnwritten()).isTrue();
        configWriter.flush(
                new GatewayConfigWriter.Context(cluster, courier, new Nobody(), GatewayConfigWriterTest::now),
                new GatewayConfigWriter.WriteRequest(GATEWAY, 1, now, 0));
        configWriter.settle(now);
        assertThat(cluster.changes()).isEqualTo("a");
        assertThat(configWriter.isUnwritten()).isFalse();
    }

    @Test
    void whoBeginsAnewWritesAgainWhatPodsMayHaveOtherwise() throws Exception {
        change("whole", "");
        change("whole", "told and never written");
        write(new GatewayConfigWriter(), courier, "whole", "");
        assertThat(cluster.stamp("number")).isEqualTo("3");
    }

    @Test
    void howLongItTookIsCountedOnce() throws Exception {
        change("whole", "");
        configWriter.served(revision("whole", ""));
        change("whole", "a");
        assertThat(configWriter.served(revision("whole", "a"))).hasSize(1);
        now = START.plusSeconds(1);
        change("whole", "a");
        assertThat(cluster.changes()).isEqualTo("a");
        assertThat(configWriter.served(revision("whole", "a"))).isEmpty();
    }

    @Test
    void anotherProcessSignsFirstThoughTheWholeCannotBeWritten() throws Exception {
        change("whole", "");
        now = START.plusSeconds(1);
        change("whole", "a");
        now = START.plusSeconds(2);
        change("whole", "a");
        change("whole", "told, and taken back before it was written");
        cluster.refused = Optional.of("edge-vcl");
        write(new GatewayConfigWriter(), new Walker("x"), "another", "");
        assertThat(cluster.whole()).isEqualTo("whole");
        assertThat(cluster.stamp("writer")).isEqualTo("x");
        assertThat(cluster.changes()).as("as they were").isEqualTo("a");
        assertThat(cluster.stamp("base")).isEqualTo("whole");
    }

    @Test
    void anotherProcessSignsThoughItHasNothingToWrite() throws Exception {
        change("whole", "");
        var next = new GatewayConfigWriter();
        var context =
                new GatewayConfigWriter.Context(cluster, new Walker("x"), new Nobody(), GatewayConfigWriterTest::now);
        ConfigMap ours = map("edge-vcl-changes", Map.of());
        next.sign(context, GATEWAY, ours);
        assertThat(cluster.stamp("writer")).isEqualTo("x");
        assertThat(cluster.stamp("base")).isEqualTo("whole");
        int before = cluster.writes.size();
        next.sign(context, GATEWAY, ours);
        assertThat(cluster.writes).hasSize(before);
    }

    /** As where an operator of an earlier release, which kept no text, wrote it: a pod that starts has no other. */
    @Test
    void theVclThatIsWrittenStaysWhereNoneCanBeMade() throws Exception {
        cluster.apply(map("edge-vcl", Map.of("main.vcl", "good", "routing.json", "old")));
        var changes = new Changes(map("edge-vcl-changes", Map.of("base", "new")), "new", "");
        configWriter.want(new Rendered(
                List.of(map("edge-vcl-1", Map.of()), map("edge-vcl", Map.of("routing.json", "new"))),
                changes,
                Form.WHOLE,
                () -> revision("new", ""),
                Optional.of("{ is not closed"),
                Optional.empty()));
        configWriter.write(
                new GatewayConfigWriter.Context(cluster, courier, new Nobody(), GatewayConfigWriterTest::now),
                new GatewayConfigWriter.WriteRequest(GATEWAY, 1, now, System.nanoTime()));
        configWriter.settle(now);
        assertThat(cluster.whole()).isEqualTo("new");
        assertThat(cluster.field("edge-vcl", "main.vcl")).isEqualTo("good");
        assertThat(cluster.field("edge-vcl-1", "main.vcl")).isEmpty();
        int before = cluster.writes.size();
        configWriter.write(
                new GatewayConfigWriter.Context(cluster, courier, new Nobody(), GatewayConfigWriterTest::now),
                new GatewayConfigWriter.WriteRequest(GATEWAY, 1, now, System.nanoTime()));
        configWriter.settle(now);
        assertThat(cluster.writes).as("it is as it is wanted").hasSize(before);
    }

    @Test
    void aMistakeOfOursInAWriteIsTriedAgain() throws Exception {
        cluster.mistakes = 1;
        change("whole", "");
        assertThat(configWriter.isWriting()).isFalse();
        assertThat(configWriter.retryAt()).contains(START.plusMillis(200));
        now = START.plusMillis(200);
        change("another", "");
        assertThat(cluster.whole()).isEqualTo("another");
    }

    private void change(String whole, String json) {
        write(configWriter, courier, whole, json);
    }

    private void write(GatewayConfigWriter at, ChangePusher by, String whole, String json) {
        at.want(new Rendered(
                List.of(map("edge-vcl", Map.of("routing.json", whole))),
                new Changes(map("edge-vcl-changes", Map.of("base", whole, "routing.changes.json", json)), whole, json),
                json.isEmpty() ? Form.WHOLE : Form.CHANGES,
                () -> revision(whole, json),
                Optional.empty(),
                Optional.empty()));
        at.write(
                new GatewayConfigWriter.Context(cluster, by, new Nobody(), GatewayConfigWriterTest::now),
                new GatewayConfigWriter.WriteRequest(GATEWAY, 1, now, System.nanoTime()));
        at.settle(now);
    }

    private static void now(PodRegistry.Key gateway, WorkQueue.Task task) {
        try {
            task.run();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ConfigRevision revision(String whole, String json) {
        return new ConfigRevision(whole + json, "", "");
    }

    private static ConfigMap map(String name, Map<String, String> data) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("shop")
                .withName(name)
                .endMetadata()
                .withData(new HashMap<>(data))
                .build();
    }

    private static final class Walker implements ChangePusher {
        private final String name;
        private final List<String> told = new ArrayList<>();
        private boolean all = true;
        private Runnable lost = () -> {};
        private long number;

        Walker(String name) {
            this.name = name;
        }

        @Override
        public ChangeSet.Revision nextRevision() {
            return new ChangeSet.Revision(name, ++number);
        }

        @Override
        public boolean push(PodRegistry.Key gateway, ChangeSet changeSet, Runnable whenLost) {
            told.add(changeSet.json());
            lost = whenLost;
            return all;
        }

        void lose() {
            lost.run();
        }
    }

    private static final class Nobody implements GatewayConfigWriter.Observer {
        @Override
        public void wrote(ObjectKey object) {}

        @Override
        public void failed(ObjectKey object, IOException why) {}

        @Override
        public void pushed(PodRegistry.Key gateway) {}

        @Override
        public void pushFailed(PodRegistry.Key gateway) {}

        @Override
        public void ended(PodRegistry.Key gateway) {}
    }

    /** Keeps ConfigMaps. */
    private static final class Shelf extends NoKubeWriter {
        private final Map<String, ConfigMap> maps = new HashMap<>();
        private final List<String> writes = new ArrayList<>();
        private Optional<String> refused = Optional.empty();
        private int mistakes;

        String whole() {
            return field("edge-vcl", "routing.json");
        }

        String changes() {
            return field("edge-vcl-changes", "routing.changes.json");
        }

        String stamp(String name) {
            return field("edge-vcl-changes", name);
        }

        private String field(String map, String name) {
            return Optional.ofNullable(maps.get(map))
                    .map(found -> found.getData().getOrDefault(name, ""))
                    .orElseThrow();
        }

        @Override
        public Stored apply(HasMetadata wanted) throws IOException {
            if (refused.equals(Optional.of(wanted.getMetadata().getName()))) {
                throw new IOException("a webhook says no");
            }
            if (mistakes-- > 0) {
                throw new IllegalStateException("ours");
            }
            writes.add(wanted.getMetadata().getName());
            maps.put(wanted.getMetadata().getName(), (ConfigMap) wanted);
            return new Stored(String.valueOf(writes.size()), 0);
        }

        @Override
        public Stored replace(HasMetadata wanted) throws IOException {
            return apply(wanted);
        }

        @Override
        public Optional<ObjectNode> read(String path) {
            return Optional.ofNullable(maps.get(path.substring(path.lastIndexOf('/') + 1)))
                    .map(map -> new JsonMapper().valueToTree(map));
        }
    }
}
