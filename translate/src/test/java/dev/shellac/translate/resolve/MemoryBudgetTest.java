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

    /** Objects of 298 bytes, with what was measured beside each, and everything else at its most. */
    @ParameterizedTest
    @ValueSource(longs = {384, 512, 600, 1024, 2048, 4096, 65_536})
    void everythingAtItsMostStaysBelowTheLimit(long mebi) {
        MemoryBudget budget = MemoryBudget.of(Optional.of(mebi * MEBI));
        long tiny = budget.storage() / 298;
        long most = tiny * (298 + 873)
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
        assertThat(budget.refusal(size(budget.storage() + MEBI))).isPresent();
    }

    /** As docs/kubernetes.md has it. */
    @ParameterizedTest
    @CsvSource({"512, 39", "1024, 115", "2048, 268", "4096, 738"})
    void aQuarterOfWhatIsLeft(long limit, long storage) {
        assertThat(MemoryBudget.of(Optional.of(limit * MEBI)).storage()).isEqualTo(storage * MEBI);
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
                .hasValueSatisfying(why -> assertThat(why).startsWith("a memory limit of 128 MiB has no room"));
    }

    @Test
    void withoutALimitNothingIsRefused() {
        MemoryBudget budget = MemoryBudget.of(Optional.empty());
        assertThat(budget.storage()).isEqualTo(256 * MEBI);
        assertThat(budget.refusal(size(1L << 50))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-s malloc,38m             | fits",
                "-smalloc,38M              | fits",
                "-s a=malloc,19m -s b=malloc,19m | fits",
                "-s a=malloc,40m -s b=malloc,40m | can take 320 MiB",
                "-s malloc,1g              | can take 4096 MiB",
                "-s malloc                 | has no size",
                "-s default                | has no size",
                "-s file,/x,1g             | fits",
                "-s file,/x,9g             | can take 1152 MiB",
                "-s Transient=malloc,51m   | fits",
                "-s Transient=malloc,400m  | can take 349 MiB",
                "-p timeout_idle=5         | fits",
                // 256 threads are what 512 MiB have room for.
                "-p thread_pool_max=100    | fits",
                "-p thread_pool_max=128    | fits",
                "-p thread_pools=4 -p thread_pool_max=64 | fits",
                "-pthread_pools=4 -pthread_pool_max=4000 | 16000 threads of 192 KiB take 3000 MiB",
                "-p thread_pools=20        | 5120 threads of 192 KiB take 960 MiB",
                "-p thread_pool_max=unlimited | is no number that memory could be promised for",
                "-p thread_pool_max=5000 -p thread_pool_max=50 | fits",
                "-p workspace_client=64k   | fits",
                "-p workspace_client=2m    | 256 threads of 2144 KiB take 536 MiB",
                "-p workspace_client=2m -p thread_pool_max=10 | fits",
                "-p thread_pool_stack=1m -p workspace_backend=1m | 256 threads of 2064 KiB",
                "-p vsl_space=8m           | fits",
                "-p vsl_space=80M          | fits",
                "-p vsl_space=1G           | a log (vsl_space) of 1024 MiB takes as much",
                "-l 1g                     | a log (vsl_space) of 1024 MiB takes as much",
                "-s malloc,38m -p vsl_space=80M | storage malloc,38m can take 152 MiB when it is full of tiny objects, and a log (vsl_space) of 80 MiB",
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
        assertThat(budget.storageBeside(more)).isEqualTo(32 * MEBI);
        assertThat(budget.storage()).isEqualTo(39 * MEBI);
    }

    @Test
    void moreForThreadsOrTheLogIsLessForTheRest() {
        MemoryBudget budget = MemoryBudget.of(Optional.of(512 * MEBI));
        CacheStorage more = CacheStorage.of(
                Optional.of(parameters(List.of("-p", "vsl_space=48m", "-pthread_pool_max=320"), Optional.empty())));
        assertThat(budget.refusal(more)).isEmpty();
        // 32 MiB for the log and 12 for 64 more threads, each a quarter less of storage.
        assertThat(budget.storageBeside(more)).isEqualTo((39 - 11) * MEBI);
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
