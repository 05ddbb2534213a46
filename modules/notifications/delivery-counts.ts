import type { Metrics } from '@case-platform/lib/metrics/metrics';

const CHANNELS = ['email', 'sms', 'push'];
const STATES = ['sent', 'failed', 'suppressed', 'queued'];

/** Of this process, since its start. */
const counts = CHANNELS.flatMap((channel) => STATES.map((state) => ({ labels: { channel, state }, value: 0 })));

/** Counts how a try to deliver something has ended. */
export function countDelivery(channel: string, state: string): void {
  const counted = counts.find(({ labels }) => labels.channel === channel && labels.state === state);
  if (counted !== undefined) counted.value += 1;
}

/** Shows how this process's tries to deliver have ended. */
export function showDeliveries(metrics: Metrics): void {
  metrics.showCounter({
    name: 'deliveries_total',
    help: 'Tries to deliver something, by how they ended. queued: it failed, and there will be another.',
    labels: ['channel', 'state'],
    read: () => counts,
  });
}
