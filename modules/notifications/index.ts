export type { DeliveryState } from './deliveries.ts';
export { showDeliveries } from './delivery-counts.ts';
export { deliverEmail, type EmailContext } from './email/deliver-email.ts';
export { createEmailProvider } from './email/email-providers.ts';
export { claimMailTurn, findMailTurn } from './email/mail-turn.ts';
export { type EmailProvider, PermanentFailure } from './email/outgoing-email.ts';
export { queueEmail } from './email/queue-email.ts';
export { renderEmail, TEMPLATES, type TemplateName } from './email/render-email.ts';
export { sendEmail } from './email/send-email.ts';
export { readSendGridEvents } from './email/sendgrid-reports.ts';
export {
  findUnsubscription,
  setByUnsubscribeLink,
  UNSUBSCRIBE_PATH,
  type Unsubscription,
} from './email/unsubscribe.ts';
export { type Channel, EVENTS, findEvent, type MailTemplates, type NoticeEvent, PLATFORM_PUSH_EVENTS } from './events.ts';
export {
  countFailedDeliveries,
  type Delivery,
  type DeliveryContent,
  findDelivery,
  listDeliveries,
  listDeliveryEvents,
  type WholeDelivery,
} from './list-deliveries.ts';
export { OLD_NOTIFICATION_ROWS } from './old-rows.ts';
export { listPreferences, setPreferences } from './preferences.ts';
export { recordReports } from './provider-reports.ts';
export { deliverPush } from './push/deliver-push.ts';
export { type InternalApi, postPlatformPush } from './push/post-platform-push.ts';
export { isSharedDevice, listDevices, removeDevice, subscribe, unsubscribeAll } from './push/push-subscriptions.ts';
export { queuePushes } from './push/queue-push.ts';
export { sendPushNow } from './push/send-push-now.ts';
export { triggerPush } from './push/trigger-push.ts';
export type { PushSettings } from './push/vapid-keys.ts';
export { isSignedBySendGrid, isSignedByTwilio } from './report-signatures.ts';
export { retryDeadJob, retryDelivery } from './retry-delivery.ts';
export { deliverSms } from './sms/deliver-sms.ts';
export { queueSms } from './sms/queue-sms.ts';
export { createSmsProvider, type SmsProvider, ValueError } from './sms/sms-providers.ts';
export { readTwilioStatus } from './sms/twilio-reports.ts';
export { liftSuppression, listSuppressions, type Suppression, type SuppressionReason } from './suppressions.ts';
