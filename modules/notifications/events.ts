import type { UserType } from '@case-platform/words/user-types';
import type { TemplateName } from './email/render-email.ts';

export type Channel = 'email' | 'sms' | 'push';

/** One event on one channel. */
interface Way {
  to: string;
  /**
   * Cannot be turned off, such as codes, changes to what protects the account, and requests that wait for the person (NOTIFY-5).
   */
  required?: true;
}

interface EmailWay extends Way {
  template: TemplateName;
}

interface EventEntry {
  title: string;
  /** The cause as docs/notifications.md states it. */
  cause: string;
  /** The users whose settings show it; unset if nothing can be turned off. */
  audience?: 'everyone' | readonly UserType[];
  /** Set if it cannot wait, so that the push service wakes the device. */
  urgent?: true;
  channels: { email?: EmailWay; sms?: Way; push?: Way };
}

const OWNER = 'The owner of the account';
/** Former addresses are notified too (ADDRESS-2). */
const EACH_ADDRESS = `${OWNER}, at the current address and each one of the last 30 days`;

/**
 * Every event that anyone is notified of, with its channels, recipients, and templates (NOTIFY-5). `npm run generate` makes
 * docs/notifications.md from it, the settings are made from it, and code that queues another event does not compile.
 */
export const EVENTS = {
  new_message: {
    title: 'New messages',
    cause: 'Someone sends a message',
    audience: 'everyone',
    urgent: true,
    channels: {
      email: {
        template: 'message_alert.html',
        to: 'Every recipient, and the assigned admin of a message to staff; never the sender',
      },
      push: {
        to: 'From a non-admin: the assigned admin. From an admin: the recipient, or every non-admin of the group',
      },
    },
  },
  disbursement_submitted: {
    title: 'Requests waiting for you',
    cause: 'A request is sent for approval',
    audience: 'everyone',
    urgent: true,
    channels: {
      email: {
        template: 'disbursement_submitted.html',
        to: 'The designated approver; in a case without one, the admins who can approve',
        required: true,
      },
      push: { to: 'The same' },
    },
  },
  disbursement_approved: {
    title: 'Approved requests',
    cause: 'A request is approved',
    audience: 'everyone',
    channels: {
      email: { template: 'disbursement_approved.html', to: 'The surrogate and the parents of the case' },
      push: { to: 'The same' },
    },
  },
  disbursement_denied: {
    title: 'Denied requests',
    cause: 'A request is denied',
    audience: 'everyone',
    channels: {
      email: { template: 'disbursement_denied.html', to: 'The submitter and the Escrow Specialist' },
      push: { to: 'The same' },
    },
  },
  payments_stopped: {
    title: 'Payments stopped by a bank account change',
    cause: 'Payments are stopped because their payee’s bank account was changed; one notice lists all of them',
    audience: 'everyone',
    channels: {
      email: {
        template: 'payments_stopped.html',
        to: 'The payee; the makers, the approvers, and the Escrow Specialist of the payments, each about their own',
        required: true,
      },
      push: { to: 'The same' },
    },
  },
  payment_alarm: {
    title: 'Payments that someone stopped',
    cause: 'The approver of a request doesn’t trust it and stops all payments to its payee',
    audience: ['admin'],
    urgent: true,
    channels: {
      email: {
        template: 'payment_alarm.html',
        to: 'The Escrow Specialist, and the admins who see the case and may edit requests; never the payee',
        required: true,
      },
      push: { to: 'The same' },
    },
  },
  payment_alarm_cleared: {
    title: 'Payments that you stopped and that continue',
    cause: 'Staff clear the stop of the payments to someone',
    audience: 'everyone',
    channels: {
      email: { template: 'payment_alarm_cleared.html', to: 'The person who stopped the payments', required: true },
      push: { to: 'The same' },
    },
  },
  payment_on_its_way: {
    title: 'Payments on their way',
    cause: 'Someone records that the bank has the file with a payment; making or releasing the file sends nothing',
    audience: 'everyone',
    channels: {
      email: { template: 'payment_on_its_way.html', to: 'The payee and the maker of the request' },
      push: { to: 'The same' },
    },
  },
  payment_arrived: {
    title: 'Payments that arrived',
    cause: 'A batch is marked as paid',
    audience: 'everyone',
    channels: {
      email: { template: 'payment_arrived.html', to: 'The payee and the maker of the request' },
      push: { to: 'The same' },
    },
  },
  payment_returned: {
    title: 'Returned payments',
    cause: 'The bank returns a payment',
    audience: 'everyone',
    channels: {
      email: { template: 'payment_returned.html', to: 'The payee and the maker of the request' },
      push: { to: 'The same' },
    },
  },
  payment_date_moved: {
    title: 'Payments that arrive on another day',
    cause: 'The day on which a payment arrives moves',
    audience: 'everyone',
    channels: {
      email: { template: 'payment_date_moved.html', to: 'The payee, the maker, and the approver of the request' },
      push: { to: 'The same' },
    },
  },
  payment_ended: {
    title: 'Payments that won’t be made again',
    cause: 'The escrow specialist ends a returned payment',
    audience: 'everyone',
    channels: {
      email: { template: 'payment_ended.html', to: 'The payee, the maker and the approver of the request, and the parents' },
      push: { to: 'The same' },
    },
  },
  pregnancy_funding: {
    title: 'Deposits needed',
    cause: 'A pregnancy is confirmed with a funding requirement',
    channels: {
      email: { template: 'ip_pregnancy_funding.html', to: 'The parents of the case', required: true },
    },
  },
  last_scheduled_payment: {
    title: 'Last scheduled payments',
    cause: 'The last scheduled payment in a category is paid',
    audience: ['admin'],
    channels: {
      email: {
        template: 'last_scheduled_payment.html',
        to: 'The admins of the case, or those who see all cases if it has none',
      },
    },
  },
  funds_short: {
    title: 'Upcoming shortfalls',
    cause: 'A case has less than its plan for the next year needs; once a month while that lasts',
    audience: ['ip', 'admin'],
    channels: {
      email: { template: 'funds_short.html', to: 'The parents of the case and its Escrow Specialist' },
      push: { to: 'The same' },
    },
  },
  case_close_reminder: {
    title: 'Cases closing soon',
    cause: 'A case is due to close within a week',
    audience: ['admin'],
    channels: { email: { template: 'case_close_reminder.html', to: 'The Escrow Specialist' } },
  },
  internal: {
    title: 'Other news',
    cause: 'A caller with the master key calls POST /internal/notification/send',
    urgent: true,
    channels: { push: { to: 'The people that the caller names, on all of their devices at once', required: true } },
  },
  two_factor_code: {
    title: 'Sign-in codes',
    cause: 'A code is needed to sign in, or to turn two-factor on or off',
    urgent: true,
    channels: {
      email: { template: 'login_code.html', to: OWNER, required: true },
      sms: { to: OWNER, required: true },
    },
  },
  password_reset: {
    title: 'Password resets',
    cause: 'Someone requests a password reset',
    channels: { email: { template: 'password_reset.html', to: OWNER, required: true } },
  },
  password_changed: {
    title: 'Password changes',
    cause: 'The password of an account is changed',
    channels: { email: { template: 'account_notice.html', to: EACH_ADDRESS, required: true } },
  },
  two_factor_changed: {
    title: 'Two-factor changes',
    cause: 'Two-factor sign-in is turned on or off, or staff reset it',
    channels: { email: { template: 'account_notice.html', to: EACH_ADDRESS, required: true } },
  },
  address_changed: {
    title: 'Email address changes',
    cause: 'A new email address is requested or confirmed',
    channels: { email: { template: 'account_notice.html', to: EACH_ADDRESS, required: true } },
  },
  address_link: {
    title: 'Links to confirm an email address',
    cause: 'A new email address is requested',
    channels: { email: { template: 'address_link.html', to: 'The new address', required: true } },
  },
  phone_changed: {
    title: 'Phone number changes',
    cause: 'The phone number of an account is changed or removed',
    urgent: true,
    channels: {
      email: { template: 'account_notice.html', to: EACH_ADDRESS, required: true },
      sms: { to: 'The previous number', required: true },
    },
  },
  name_changed: {
    title: 'Name changes',
    cause: 'A person on a case changes their name',
    channels: { email: { template: 'name_changed.html', to: 'The case’s Escrow Specialist', required: true } },
  },
  bank_account_changed: {
    title: 'Bank account changes',
    cause: 'The bank account that a person’s payments go to is changed',
    urgent: true,
    channels: {
      email: { template: 'account_notice.html', to: EACH_ADDRESS, required: true },
      sms: { to: `${OWNER}, if a phone number is known`, required: true },
    },
  },
  role_granted: {
    title: 'Roles that can move money',
    cause: 'Someone gets a role that can move money, a role gets more such permissions, or either is confirmed',
    channels: {
      email: { template: 'role_granted.html', to: 'Every admin who can manage roles', required: true },
    },
  },
  invitation: {
    title: 'Invitations',
    cause: 'Staff invite a person',
    channels: { email: { template: 'invitation.html', to: 'The person invited', required: true } },
  },
} as const satisfies Record<string, EventEntry>;

export type EventName = keyof typeof EVENTS;
type WithChannel<Name extends Channel> = {
  [Event in EventName]: (typeof EVENTS)[Event]['channels'] extends Record<Name, unknown> ? Event : never;
}[EventName];
export type EmailEvent = WithChannel<'email'>;
export type SmsEvent = WithChannel<'sms'>;
export type PushEvent = WithChannel<'push'>;
/** Messages have their own pushes; all other events are pushed through the API (NOTIFY-4). */
export type PlatformPushEvent = Exclude<PushEvent, 'new_message'>;
/** The provider's template for some kinds of mail, by name. */
export type MailTemplates = Readonly<Partial<Record<EmailEvent, string>>>;
export type TemplateOf<Event extends EmailEvent> = {
  [Name in EmailEvent]: (typeof EVENTS)[Name]['channels']['email']['template'];
}[Event];
export type NoticeEvent = {
  [Name in EmailEvent]: TemplateOf<Name> extends 'account_notice.html' ? Name : never;
}[EmailEvent];

/** Their content includes a code or link that opens an account: it is not kept, and sending it later is useless (NOTIFY-8). */
export const SECRET_EVENTS: readonly EventName[] = ['two_factor_code', 'password_reset', 'invitation', 'address_link'];

/** Finds an event by a name that is only known at run time. */
export function findEvent(name: string): EventEntry | undefined {
  return Object.hasOwn(EVENTS, name) ? (EVENTS as Record<string, EventEntry>)[name] : undefined;
}

/** True if a message of this event contains a code or link that opens an account. */
export function isSecretEvent(name: string): boolean {
  return SECRET_EVENTS.some((event) => event === name);
}

/** Mails that protect an account never wait, however many there are (NOTIFY-8). */
export const SECURITY_EVENTS: readonly EventName[] = (Object.keys(EVENTS) as EventName[]).filter(
  (name) => isSecretEvent(name) || findEvent(name)?.channels.email?.template === 'account_notice.html',
);

export function isSecurityEvent(name: string): boolean {
  return SECURITY_EVENTS.some((event) => event === name);
}

export const PLATFORM_PUSH_EVENTS = (Object.keys(EVENTS) as EventName[]).filter(
  (name): name is PlatformPushEvent => name !== 'new_message' && findEvent(name)?.channels.push !== undefined,
);

export const CHANNELS = ['email', 'sms', 'push'] as const satisfies Channel[];
