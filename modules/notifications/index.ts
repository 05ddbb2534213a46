export { deliverEmail } from './deliver-email.ts';
export { deliverPush, type PushSettings } from './deliver-push.ts';
export {
  type Channel,
  type Delivery,
  type DeliveryContent,
  type DeliveryState,
  findDelivery,
  listDeliveries,
  type PushPayload,
  queueEmail,
  queuePush,
} from './deliveries.ts';
export { createEmailProvider, type EmailProvider, PermanentFailure } from './email-providers.ts';
export { subscribe, unsubscribeAll } from './push-subscriptions.ts';
