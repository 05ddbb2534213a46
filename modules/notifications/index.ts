export {
  announcePasswordChange,
  announcePhoneChange,
  announceTwoFactorChange,
  mailPasswordReset,
  sendCode,
} from './account-mails.ts';
export { announceToOwner, type OwnerNotice } from './announce-to-owner.ts';
export { deliverEmail } from './deliver-email.ts';
export { deliverPush, type PushOutcome } from './deliver-push.ts';
export { deliverSms } from './deliver-sms.ts';
export type { Channel, DeliveryState } from './deliveries.ts';
export { createEmailProvider, type EmailProvider, PermanentFailure } from './email-providers.ts';
export { EVENTS, type EventName, findEvent } from './events.ts';
export {
  countFailedDeliveries,
  type Delivery,
  type DeliveryContent,
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  listDeliveryEvents,
  type WholeDelivery,
} from './list-deliveries.ts';
export { findMailTurn, takeMailTurn } from './mail-turn.ts';
export { type EventPreference, listPreferences, type PreferenceChange, setPreferences } from './preferences.ts';
export { type ProviderReport, recordReports, sweepReports } from './provider-reports.ts';
export { fitPayload, PAYLOAD_MAX_BYTES, type PushPayload } from './push-payload.ts';
export {
  type Device,
  isSharedDevice,
  listDevices,
  removeDevice,
  subscribe,
  unsubscribeAll,
} from './push-subscriptions.ts';
export { type Email, queueEmail } from './queue-email.ts';
export { queuePush } from './queue-push.ts';
export { queueSms } from './queue-sms.ts';
export { renderEmail, TEMPLATES, type TemplateName } from './render-email.ts';
export { isSignedBySendGrid, isSignedByTwilio } from './report-signatures.ts';
export { retryDeadJob, retryDelivery } from './retry-delivery.ts';
export { sendEmail } from './send-email.ts';
export { sendPushNow } from './send-push-now.ts';
export { readSendGridEvents } from './sendgrid-reports.ts';
export { createSmsProvider, type SmsProvider, ValueError } from './sms-providers.ts';
export {
  announceAddressChange,
  announceAddressRequest,
  announceTwoFactorReset,
  mailAddressLink,
  mailInvitation,
} from './staff-mails.ts';
export { liftSuppression, listSuppressions, type Suppression, type SuppressionReason } from './suppressions.ts';
export { tellAdministrators } from './tell-administrators.ts';
export { type PlatformNotification, type PlatformPush, triggerPush } from './trigger-push.ts';
export { readTwilioStatus } from './twilio-reports.ts';
export { findUnsubscription, setByUnsubscribeLink, UNSUBSCRIBE_PATH, type Unsubscription } from './unsubscribe.ts';
export type { PushSettings } from './vapid-keys.ts';
