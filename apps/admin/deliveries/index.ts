export { channelLabel, deliveryState } from './delivery-words.ts';
