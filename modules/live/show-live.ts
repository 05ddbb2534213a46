import type { Metrics } from '@case-platform/lib/metrics/metrics';
import { createSharedReading } from '@case-platform/lib/metrics/shared-reading';
import type { LiveUpdates } from './live-updates.ts';

/** Shows who is connected to this process's live updates, and how late they are told. */
export function showLive(metrics: Metrics, live: LiveUpdates): void {
  const lag = createSharedReading(() => live.measureLag());
  metrics.showGauge({
    name: 'live_connections',
    help: 'Streams of live updates that are open.',
    read: () => [{ value: live.connections }],
  });
  metrics.showGauge({
    name: 'event_publisher_lag_seconds',
    help: 'From an announcement in the database until this process hears it.',
    read: async () => [{ value: (await lag()).heard }],
  });
  metrics.showGauge({
    name: 'live_lag_seconds',
    help: 'From there on until everybody who is connected has been told.',
    read: async () => [{ value: (await lag()).delivered }],
  });
}
