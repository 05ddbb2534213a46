export { channelLabel, deliveryState } from './delivery-list.ts';
