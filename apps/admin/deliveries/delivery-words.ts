import { type Html, html } from '@case-platform/lib/html';
import type { Channel, DeliveryState } from '@case-platform/modules/notifications';
import { type IconName, icon } from '../page/icons.ts';

export const CHANNELS = ['email', 'sms', 'push'] as const satisfies Channel[];
export const DELIVERY_STATES = ['queued', 'sent', 'failed', 'suppressed'] as const satisfies DeliveryState[];

export const CHANNEL_WORDS: Record<Channel, { words: string; mark: IconName }> = {
  email: { words: 'Email', mark: 'mail' },
  sms: { words: 'Text message', mark: 'smartphone' },
  push: { words: 'Push', mark: 'bell' },
};
export const STATE_LOOKS: Record<DeliveryState, { words: string; look: string }> = {
  queued: { words: 'Waiting', look: 'is-waiting' },
  sent: { words: 'Sent', look: 'is-active' },
  failed: { words: 'Failed', look: 'is-refused' },
  suppressed: { words: 'Not needed', look: '' },
};

/** The channel with its icon. */
export function channelLabel(channel: Channel): Html {
  const { words, mark } = CHANNEL_WORDS[channel];
  return html`<span class="channel">${icon(mark)}${words}</span>`;
}

/** The state as a pill. */
export function deliveryState(state: DeliveryState): Html {
  const { words, look } = STATE_LOOKS[state];
  return html`<span class="state-pill ${look}">${words}</span>`;
}
