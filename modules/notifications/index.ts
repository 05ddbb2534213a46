export { announcePasswordChange, announceTwoFactorChange, mailPasswordReset, sendCode } from './account-mails.ts';
export { deliverEmail } from './deliver-email.ts';
export { deliverPush, type PushOutcome, type PushSettings } from './deliver-push.ts';
export { deliverSms } from './deliver-sms.ts';
export { type Channel, type DeliveryState, type PushPayload, queueEmail, queuePush, queueSms } from './deliveries.ts';
export { createEmailProvider, type EmailProvider, PermanentFailure } from './email-providers.ts';
export {
  countFailedDeliveries,
  type Delivery,
  type DeliveryContent,
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  listDeliveryEvents,
} from './list-deliveries.ts';
export { type EventPreference, listPreferences, type PreferenceChange, setPreferences } from './preferences.ts';
export { type Device, listDevices, removeDevice, subscribe, unsubscribeAll } from './push-subscriptions.ts';
export { type InternalPush, sendPushNow } from './send-push-now.ts';
export { createSmsProvider, type SmsProvider, ValueError } from './sms-providers.ts';
export { announceAddressChange, announceTwoFactorReset, mailInvitation } from './staff-mails.ts';
