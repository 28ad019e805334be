package dev.shellac.translate.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.shellac.model.Metadata;
import dev.shellac.model.policy.GatewayClassParameters;
import dev.shellac.model.policy.GatewayClassParameters.Clients;
import dev.shellac.model.policy.GatewayClassParameters.NetworkAccess;
import dev.shellac.model.policy.GatewayClassParameters.PodSettings;
import dev.shellac.model.policy.GatewayClassParameters.Scale;
import dev.shellac.model.policy.GatewayClassParameters.ServiceSettings;
import dev.shellac.model.policy.GatewayClassParameters.Storage;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MemoryBudgetTest {
    private static final long MEBI = 1L << 20;

    /** Storage and what is kept beside the objects in it, which the router bounds together, and everything else at its most. */
    @ParameterizedTest
    @ValueSource(longs = {384, 512, 600, 1024, 2048, 4096, 65_536})
    void everythingAtItsMostStaysBelowTheLimit(long mebi) {
        MemoryBudget budget = MemoryBudget.of(Optional.of(mebi * MEBI));
        long most = budget.objects(size(1L << 40)).orElseThrow().bytes()
                + budget.transientBytes()
                + (long) budget.mostThreads() * 192 * 1024
                + budget.edge()
                + budget.javaHeap()
                + budget.keys()
                + (64 + 64 + 10) * MEBI;
        assertThat(most).isLessThanOrEqualTo(mebi * MEBI * 95 / 100);
        assertThat(budget.mostThreads() * 2L * budget.transitBuffer()).isLessThanOrEqualTo(budget.transientBytes());
        assertThat(budget.storage()).isPositive();
        assertThat(budget.refusal(size(budget.storage()))).isEmpty();
        assertThat(budget.refusal(size(1L << 40))).isEmpty();
    }

    /** As docs/kubernetes.md has it. */
    @ParameterizedTest
    @CsvSource({"512, 158, 30", "1024, 462, 45", "2048, 1075, 52", "4096, 2953, 70"})
    void storageIsWhatIsLeft(long limit, long storage, long percent) {
        assertThat(MemoryBudget.of(Optional.of(limit * MEBI)).storage()).isEqualTo(storage * MEBI);
        assertThat(storage * 100).isGreaterThanOrEqualTo(limit * percent);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                            | 165675008 700 180 s0:memory:165675008    |",
                "-s malloc,38m               | 165675008 700 180 s0:memory:39845888     |",
                "-s malloc,1g                | 165675008 700 180 s0:memory:1073741824   | of a storage of 1024 MiB, objects can use 158 MiB",
                "-s malloc,1g -sTransient=malloc,61m | 155189248 700 180 s0:memory:1073741824 | objects can use 148 MiB",
                "-s a=malloc,1g -s malloc,2g -s file,/x,4g | 165675008 700 180 a:memory:1073741824 s0:memory:2147483648 s1:file:4294967296 | of a storage of 3072 MiB, objects can use 158 MiB",
                "-s file,/x,9g               | 165675008 700 180 s0:file:9663676416     | objects of 101 KiB on average can fill a storage of 9216 MiB in a file",
            })
    void whatTheRouterIsTold(String arguments, String told, String shortfall) {
        CacheStorage storage = CacheStorage.of(Optional.of(
                parameters(arguments == null ? List.of() : List.of(arguments.split(" ")), Optional.empty())));
        ObjectMemory objects =
                MemoryBudget.of(Optional.of(512 * MEBI)).objects(storage).orElseThrow();
        assertThat(objects.argument()).isEqualTo(told);
        assertThat(objects.shortfall().orElse("")).contains(shortfall == null ? "" : shortfall);
        assertThat(objects.shortfall().isPresent()).isEqualTo(shortfall != null);
    }

    /** They take the kernel's part, a twentieth; and the router watches no file descriptor above 65,535. */
    @ParameterizedTest
    @CsvSource({"512, 8738", "1024, 17476", "4096, 60000", "65536, 60000"})
    void connectionsFitTheKernelsPart(long limit, long connections) {
        assertThat(MemoryBudget.of(Optional.of(limit * MEBI)).connections()).contains(connections);
        assertThat(connections * 3 * 1024).isLessThanOrEqualTo(limit * MEBI / 20);
    }

    @Test
    void withoutALimitConnectionsAreNotBounded() {
        assertThat(MemoryBudget.of(Optional.empty()).connections()).isEmpty();
    }

    /** As varnish/gateway documents it. */
    @Test
    void twoGibibytesHoldAStorageOfOne() {
        MemoryBudget budget = MemoryBudget.of(Optional.of(2048 * MEBI));
        CacheStorage storage = CacheStorage.of(Optional.of(parameters(List.of("-s", "malloc,1g"), Optional.empty())));
        assertThat(budget.refusal(storage)).isEmpty();
        assertThat(budget.objects(storage).flatMap(ObjectMemory::shortfall)).isEmpty();
    }

    @Test
    void aLargerLimitNeverGivesLess() {
        MemoryBudget before = MemoryBudget.of(Optional.of(256 * MEBI));
        for (long mebi = 257; mebi < 8192; mebi++) {
            MemoryBudget now = MemoryBudget.of(Optional.of(mebi * MEBI));
            assertThat(now.storage()).as("%d MiB", mebi).isGreaterThanOrEqualTo(before.storage() - 3 * MEBI);
            assertThat(now.mostThreads()).isGreaterThanOrEqualTo(before.mostThreads());
            before = now;
        }
    }

    @Test
    void aLimitWithoutRoomIsRefusedWhateverTheStorage() {
        assertThat(MemoryBudget.of(Optional.of(128 * MEBI)).refusal(CacheStorage.of(Optional.empty())))
                .hasValueSatisfying(
                        why -> assertThat(why)
                                .startsWith("a memory limit of 128 MiB has no room")
                                .endsWith(
                                        "which leaves 0 for objects: objects need at least 64 MiB. Raise resources.limits.memory"));
    }

    @Test
    void withoutALimitNothingIsRefused() {
        MemoryBudget budget = MemoryBudget.of(Optional.empty());
        assertThat(budget.storage()).isEqualTo(256 * MEBI);
        assertThat(budget.refusal(size(1L << 50))).isEmpty();
        assertThat(budget.objects(size(1L << 50))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-s malloc,38m             | fits",
                "-smalloc,38M              | fits",
                "-s a=malloc,19m -s b=malloc,19m | fits",
                "-s a=malloc,40m -s b=malloc,400m | fits",
                "-s malloc,1g              | fits",
                "-s malloc                 | has no size",
                "-s default                | has no size",
                "-s file,/x,1g             | fits",
                "-s file,/x,9g             | fits",
                "-s file,/x                | has no size",
                "-s Transient=malloc,51m   | fits",
                "-s Transient=malloc,400m  | storage Transient=malloc,400m takes 349 MiB more than there is for transient objects",
                "-p timeout_idle=5         | fits",
                // 256 threads are what 512 MiB have room for.
                "-p thread_pool_max=100    | fits",
                "-p thread_pool_max=128    | fits",
                "-p thread_pools=4 -p thread_pool_max=64 | fits",
                "-pthread_pools=4 -pthread_pool_max=4000 | 16000 threads of 192 KiB take 3000 MiB",
                "-p thread_pools=20        | 5120 threads of 192 KiB take 960 MiB",
                "-p thread_pool_max=x      | thread_pool_max=x' is not a number or size that varnishd accepts",
                "-p thread_pool_max=unlimited | thread_pool_max=unlimited' has no bound, which no memory limit can promise to hold",
                "-p thread_pool_max=4000   | which leaves 158 for objects: objects need at least 64 MiB. Lower these settings or raise resources.limits.memory",
                "-p thread_pool_max=5000 -p thread_pool_max=50 | fits",
                "-p workspace_client=64k   | fits",
                "-p workspace_client=2m    | 256 threads of 2144 KiB take 536 MiB",
                "-p workspace_client=2m -p thread_pool_max=10 | fits",
                "-p thread_pool_stack=1m -p workspace_backend=1m | 256 threads of 2064 KiB",
                "-p vsl_space=8m           | fits",
                "-p vsl_space=80M          | fits",
                "-p vsl_space=1G           | a log (vsl_space) of 1024 MiB takes 1008 MiB more than the 16 MiB that are planned for it",
                "-l 1g                     | a log (vsl_space) of 1024 MiB takes 1008 MiB more than the 16 MiB that are planned for it",
                "-s Transient=malloc,130m -p vsl_space=80M | storage Transient=malloc,130m takes 79 MiB more than there is for transient objects, and a log (vsl_space) of 80 MiB takes 64 MiB more",
                "-h critbit                | -h critbit keeps what it has",
                "-hsimple_list             | -h simple_list keeps what it has",
                "-h classic                | fits",
                "-h classic,16383          | fits",
                "-h classic,100000001      | a hash of 100000001 buckets",
            })
    void storageAmongTheArguments(String arguments, String words) {
        Optional<String> refusal = MemoryBudget.of(Optional.of(512 * MEBI))
                .refusal(CacheStorage.of(Optional.of(parameters(List.of(arguments.split(" ")), Optional.empty()))));
        assertThat(refusal.orElse("fits")).contains(words);
    }

    @Test
    void moreForTransientObjectsIsLessForTheRest() {
        MemoryBudget budget = MemoryBudget.of(Optional.of(512 * MEBI));
        CacheStorage more =
                CacheStorage.of(Optional.of(parameters(List.of("-sTransient=malloc,81m"), Optional.empty())));
        assertThat(budget.refusal(more)).isEmpty();
        assertThat(budget.storageBeside(more)).isEqualTo(128 * MEBI);
        assertThat(budget.storage()).isEqualTo(158 * MEBI);
    }

    @Test
    void moreForThreadsOrTheLogIsLessForTheRest() {
        MemoryBudget budget = MemoryBudget.of(Optional.of(512 * MEBI));
        CacheStorage more = CacheStorage.of(
                Optional.of(parameters(List.of("-p", "vsl_space=48m", "-pthread_pool_max=320"), Optional.empty())));
        assertThat(budget.refusal(more)).isEmpty();
        // 32 MiB for the log and 12 for 64 more threads.
        assertThat(budget.storageBeside(more)).isEqualTo((158 - 44) * MEBI);
        assertThat(MemoryBudget.of(Optional.empty())
                        .refusal(CacheStorage.of(Optional.of(
                                parameters(List.of("-h", "critbit", "-p", "vsl_space=80G"), Optional.empty())))))
                .as("without a limit nothing is promised")
                .isEmpty();
    }

    @Test
    void argumentsThatAreNotAboutStorageStay() {
        CacheStorage storage = CacheStorage.of(
                Optional.of(parameters(List.of("-p", "a=b", "-s", "malloc,1m", "-t", "10", "-s"), Optional.empty())));
        assertThat(storage.otherArguments()).containsExactly("-p", "a=b", "-t", "10", "-s");
    }

    private static CacheStorage size(long bytes) {
        return CacheStorage.of(
                Optional.of(parameters(List.of(), Optional.of(new Storage(Storage.Kind.MALLOC, Optional.of(bytes))))));
    }

    private static GatewayClassParameters parameters(List<String> arguments, Optional<Storage> storage) {
        return new GatewayClassParameters(
                Metadata.named("", "p"),
                Optional.empty(),
                Optional.empty(),
                arguments,
                storage,
                Optional.empty(),
                Clients.USUAL,
                Scale.FREE,
                ServiceSettings.NONE,
                PodSettings.NONE,
                NetworkAccess.USUAL,
                Optional.empty());
    }
}
