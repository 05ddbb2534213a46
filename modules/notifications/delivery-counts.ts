import type { Metrics } from '@case-platform/lib/metrics/metrics';

const CHANNELS = ['email', 'sms', 'push'];
const STATES = ['sent', 'failed', 'suppressed', 'queued'];

/** Attempts of this process since its start. */
const counts = CHANNELS.flatMap((channel) => STATES.map((state) => ({ labels: { channel, state }, value: 0 })));

export function countDelivery(channel: string, state: string): void {
  const entry = counts.find(({ labels }) => labels.channel === channel && labels.state === state);
  if (entry !== undefined) entry.value += 1;
}

export function showDeliveries(metrics: Metrics): void {
  metrics.addCounter({
    name: 'deliveries_total',
    help: 'Delivery attempts by result. queued: the attempt failed and will be repeated.',
    labels: ['channel', 'state'],
    read: () => counts,
  });
}
