import type { Metrics } from '@case-platform/lib/metrics/metrics';
import { createSharedReading } from '@case-platform/lib/metrics/shared-reading';
import type { LiveUpdates } from './live-updates.ts';

/** Adds gauges of the open streams, and of how late they receive an event. */
export function addLiveGauges(metrics: Metrics, live: LiveUpdates): void {
  const lag = createSharedReading(() => live.measureLag());
  metrics.addGauge({
    name: 'live_connections',
    help: 'Open streams of live updates.',
    read: () => [{ value: live.connections }],
  });
  metrics.addGauge({
    name: 'event_publisher_lag_seconds',
    help: 'Time from an announcement in the database until this process receives it.',
    read: async () => [{ value: (await lag()).heard }],
  });
  metrics.addGauge({
    name: 'live_lag_seconds',
    help: 'Time from then until all open streams have received it.',
    read: async () => [{ value: (await lag()).delivered }],
  });
}
