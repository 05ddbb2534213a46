export { addLiveGauges } from './add-live-gauges.ts';
export { announceWriting } from './announce-writing.ts';
export { addAudiences } from './find-audiences.ts';
export type { LiveEvent } from './live-event.ts';
export { LiveUpdates } from './live-updates.ts';
