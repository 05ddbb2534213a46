import type { Metrics } from '@case-platform/lib/metrics/metrics';
import { requireBucket } from './objects.ts';
import type { Storage } from './storage.ts';

/** Adds a gauge that shows if this process can use the object store. */
export function addBucketGauge(metrics: Metrics, storage: Storage): void {
  metrics.addGauge({
    name: 'bucket_up',
    help: '1 while the object store answers with our key.',
    read: () =>
      requireBucket(storage).then(
        () => [{ value: 1 }],
        () => [{ value: 0 }],
      ),
  });
}
