import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { USER_TYPES, type UserType } from '@case-platform/words/user-types';
import { CHANNELS, EVENTS, findEvent, isSecretEvent, isSecurityEvent } from './events.ts';
import { canTurnOff } from './preferences.ts';

const templates = readdirSync(new URL('./email/templates/', import.meta.url)).filter((name) => name !== 'parts');
const used = new Set(
  Object.keys(EVENTS).flatMap((name) => {
    const template = findEvent(name)?.channels.email?.template;
    return template === undefined ? [] : [template];
  }),
);

describe('the list of events', () => {
  test('[NOTIFY-5] every row of the table of events has its mail', () => {
    const rows: [keyof typeof EVENTS, string, RegExp][] = [
      ['new_message', 'message_alert.html', /recipient/],
      ['disbursement_submitted', 'disbursement_submitted.html', /designated approver/],
      ['disbursement_approved', 'disbursement_approved.html', /surrogate and the parents/],
      ['disbursement_denied', 'disbursement_denied.html', /submitter and the Escrow Specialist/],
      ['pregnancy_funding', 'ip_pregnancy_funding.html', /parents/],
      ['last_scheduled_payment', 'last_scheduled_payment.html', /admins/],
      ['case_close_reminder', 'case_close_reminder.html', /Escrow Specialist/],
    ];
    for (const [name, template, to] of rows) {
      assert.equal(findEvent(name)?.channels.email?.template, template);
      assert.match(findEvent(name)?.channels.email?.to ?? '', to);
    }
  });

  test('[NOTIFY-5] each kind of person can turn off news that everyone gets, parents and staff some more', () => {
    const more: Partial<Record<UserType, string[]>> = {
      ip: ['funds_short'],
      admin: ['payment_alarm', 'last_scheduled_payment', 'funds_short', 'case_close_reminder'],
    };
    const forEveryone = Object.keys(EVENTS).filter((name) => findEvent(name)?.audience === 'everyone');
    assert.equal(forEveryone.length, 11);
    for (const user_type of USER_TYPES) {
      const shown = Object.keys(EVENTS).filter((event) => CHANNELS.some((channel) => canTurnOff({ user_type }, event, channel)));
      assert.deepEqual(shown.sort(), [...forEveryone, ...(more[user_type] ?? [])].sort(), user_type);
    }
  });

  test('every template is used by an event, and has its text part', () => {
    for (const name of used) {
      assert.ok(templates.includes(name), name);
      assert.ok(templates.includes(name.replace('.html', '.txt')), `${name} as text`);
    }
    assert.deepEqual(
      templates.filter((name) => !used.has(name.replace('.txt', '.html') as never)),
      [],
    );
  });

  test('only notifications that everyone must get are missing from the settings', () => {
    for (const name of Object.keys(EVENTS)) {
      const entry = findEvent(name);
      assert.ok(entry);
      const ways = Object.values(entry.channels);
      if (entry.audience === undefined)
        assert.ok(
          ways.every(({ required }) => required),
          name,
        );
      else
        assert.ok(
          ways.some(({ required }) => !required),
          name,
        );
    }
  });

  test('[NOTIFY-8] mail with a code or link is never kept for later, and mail that protects an account never waits', () => {
    const secret = ['address_link', 'invitation', 'password_reset', 'two_factor_code'];
    const protecting = ['address_changed', 'bank_account_changed', 'password_changed', 'phone_changed', 'two_factor_changed'];
    const names = Object.keys(EVENTS);
    assert.deepEqual(names.filter(isSecretEvent).sort(), secret);
    assert.deepEqual(names.filter(isSecurityEvent).sort(), [...secret, ...protecting].sort());
  });

  test('the name of an object property is not an event', () => {
    for (const name of ['__proto__', 'constructor', 'toString', '']) assert.equal(findEvent(name), undefined);
  });
});
