export type { LiveEvent } from './live-event.ts';
export { LiveUpdates } from './live-updates.ts';
export { sayWriting } from './say-writing.ts';
export { showLive } from './show-live.ts';
