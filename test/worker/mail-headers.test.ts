import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createEmailProvider, EVENTS, listPreferences, queueEmail } from '@case-platform/modules/notifications';
import { CASE_1 } from '../support/cast.ts';
import { type Client, startApi } from '../support/platform.ts';
import { startSink } from '../support/sink.ts';
import { startSmtp } from '../support/smtp.ts';

const FROM = 'Case Platform <no-reply@demo.test>';
const TEMPLATES = join(import.meta.dirname, '../../modules/notifications/email/templates');
const mailpit = await startSink({ status: 200, body: { ID: 'mail-1' } });
const sendgrid = await startSink({ status: 202, headers: { 'x-message-id': 'sg-1' } });
const smtp = await startSmtp();
const byMailpit = createEmailProvider({ from: FROM, mailpitUrl: mailpit.origin, sendgrid: {} });
const api = await startApi();
const { parent, escrow, surrogate } = await api.everyone();

type MailEvent = Parameters<typeof queueEmail>[1]['event'];
type Mail = Parameters<typeof queueEmail>[1];
const EVENTS_WITH_MAIL = Object.entries(EVENTS).flatMap(([event, { channels }]) =>
  'email' in channels ? [{ event: event as MailEvent, template_name: channels.email.template }] : [],
);
/** Every variable of every template. */
const WORDS = Object.fromEntries(
  readdirSync(TEMPLATES)
    .filter((name) => name !== 'parts')
    .flatMap((name) => [...readFileSync(join(TEMPLATES, name), 'utf8').matchAll(/\b([a-z][a-z_]+)\b/g)])
    .map(([, name = '']) => [name, name === 'count' ? 1 : `A\r\nBcc: x@evil.test ${name}`]),
);
const CONTEXT = { ...WORDS, payments: [WORDS], moves: [WORDS] };

async function send(who: Client, user_type: 'ip' | 'admin', mail: Pick<Mail, 'event' | 'template_name' | 'key'>) {
  const to = { id: who.userId, user_type, email_address: 'someone@demo.test' };
  const subject = 'About\r\nBcc: y@evil.test';
  await api.db.transaction((tx) => queueEmail(tx, { ...mail, to, subject, template_context: CONTEXT, thread: 'chain-7' }));
}

const headersOf = (sink: typeof mailpit): Record<string, string>[] =>
  sink.received.map(({ body }) => {
    const { Headers, headers } = JSON.parse(body.toString());
    return Headers ?? headers;
  });

describe('headers of mails', () => {
  for (const [who, user_type] of [[parent, 'ip'] as const, [escrow, 'admin'] as const]) {
    for (const { event, template_name } of EVENTS_WITH_MAIL) {
      test(`[EMAIL-13, EMAIL-14] ${event} to ${user_type}: no machine answers, one click turns it off where allowed, and no line is injected`, async () => {
        mailpit.received.length = 0;
        await send(who, user_type, { event, template_name, key: `${event}:${user_type}` });
        await api.work({ email: byMailpit });
        const [headers = {}, ...more] = headersOf(mailpit);
        assert.equal(more.length, 0);
        assert.equal(headers['Auto-Submitted'], 'auto-generated');
        assert.match(headers['Message-ID'] ?? '', /^<delivery-\d+@localhost>$/);
        assert.equal(headers['In-Reply-To'], '<chain-7@localhost>');
        assert.equal(headers.References, '<chain-7@localhost>');
        const settings = await listPreferences(api.db, { id: who.userId, user_type });
        const mayStop = settings
          .find((own) => own.event === event)
          ?.channels.some(({ channel, can_change }) => channel === 'email' && can_change);
        const link = /^<(.+)>$/.exec(headers['List-Unsubscribe'] ?? '')?.[1];
        assert.equal(link !== undefined, mayStop === true, `${event}: ${link}`);
        assert.equal(headers['List-Unsubscribe-Post'], mayStop ? 'List-Unsubscribe=One-Click' : undefined);
        const { HTML, Text, Subject } = JSON.parse(mailpit.received[0]?.body.toString() ?? '');
        for (const part of [HTML, Text]) assert.equal(part.includes('/unsubscribe?token='), mayStop === true);
        if (link !== undefined) assert.ok(Text.includes(link), 'the link of the header is in the mail, too');
        for (const value of [Subject, ...Object.values(headers)]) assert.doesNotMatch(value, /[\r\n]/);
      });
    }
  }

  test('[NOTIFY-5] some mails can be turned off, and never those that protect an account', () => {
    const required = EVENTS_WITH_MAIL.filter(({ event }) => 'required' in EVENTS[event].channels.email);
    assert.ok(required.length > 5 && required.length < EVENTS_WITH_MAIL.length);
    for (const event of ['password_changed', 'bank_account_changed', 'two_factor_code', 'address_link'] as const) {
      assert.ok(
        required.some((row) => row.event === event),
        event,
      );
    }
  });

  test('[EMAIL-13] a mail that is sent twice has one Message-ID, even when staff try it again', async () => {
    mailpit.received.length = 0;
    mailpit.answers.set('/api/v1/send', 500);
    await send(parent, 'ip', { event: 'password_changed', template_name: 'account_notice.html', key: 'twice' });
    await assert.doesNotReject(api.work({ email: byMailpit }));
    await api.retryNow();
    mailpit.answers.clear();
    await api.work({ email: byMailpit });
    await send(parent, 'ip', { event: 'password_changed', template_name: 'account_notice.html', key: 'another' });
    await api.work({ email: byMailpit });
    const ids = headersOf(mailpit).map((headers) => headers['Message-ID']);
    const other = ids.pop();
    // On a busy machine the worker may have tried it again by itself.
    assert.ok(ids.length >= 2, `${ids.length} mails`);
    assert.equal(new Set(ids).size, 1);
    assert.ok(!ids.includes(other), 'another mail has another Message-ID');
  });

  test('[EMAIL-13] mails of one conversation are one thread with one subject; another conversation is another thread', async () => {
    mailpit.received.length = 0;
    const to = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
    const chain = { subject: 'Travel', case_id: String(CASE_1), recipients: to };
    const { body } = await parent.form('/api/messages', { message: 'One', ...chain });
    await api.work({ email: byMailpit });
    await api.pool.query("update message_mail set mailed_at = mailed_at - interval '11 minutes'");
    await surrogate.form(`/api/messages/${body.chain.id}`, { message: 'Two' });
    await surrogate.form(`/api/messages/${body.chain.id}`, { message: 'Three' });
    await api.work({ email: byMailpit });
    await api.pool.query('update graphile_worker._private_jobs set run_at = now()');
    await api.work({ email: byMailpit });
    await parent.form('/api/messages', { message: 'Elsewhere', ...chain });
    await api.work({ email: byMailpit });
    const mails = mailpit.received.map(({ body: sent }) => JSON.parse(sent.toString()));
    const threads = Map.groupBy(mails, ({ Headers }) => Headers.References);
    assert.equal(threads.size, 2);
    const own = threads.get(`<chain-${body.chain.id}@localhost>`) ?? [];
    assert.ok(own.length >= 4, `${own.length} mails`);
    assert.deepEqual([...new Set(own.map(({ Subject }) => Subject))], ['New in your conversation “Travel”']);
    assert.equal(new Set(mails.map(({ Headers }) => Headers['Message-ID'])).size, mails.length);
  });

  test('[EMAIL-13, EMAIL-18] SendGrid gets the headers, and neither tracks links nor adds its own way to unsubscribe', async () => {
    const email = createEmailProvider({ from: FROM, sendgrid: { apiKey: 'SG.test', baseUrl: sendgrid.origin } });
    await send(parent, 'ip', { event: 'new_message', template_name: 'message_alert.html', key: 'sendgrid' });
    await api.work({ email });
    const { headers, tracking_settings } = JSON.parse(sendgrid.received[0]?.body.toString() ?? '');
    assert.equal(headers['Auto-Submitted'], 'auto-generated');
    assert.match(headers['List-Unsubscribe'], /^<http:.*token=\d+\.new_message\.[\w-]{43}>$/);
    assert.match(headers['Message-ID'], /^<delivery-\d+@localhost>$/);
    // SendGrid answers 400 if one of these is included.
    const reserved =
      /^(x-sg-id|x-sg-eid|received|dkim-signature|content-type|content-transfer-encoding|to|from|subject|reply-to|cc|bcc)$/i;
    assert.deepEqual(
      Object.keys(headers).filter((name) => reserved.test(name)),
      [],
    );
    assert.deepEqual(tracking_settings, {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
    });
  });

  test('[EMAIL-13] by SMTP each header appears once, with its whole value', async () => {
    const email = createEmailProvider({ from: FROM, mailpitUrl: smtp.url, sendgrid: {} });
    await send(parent, 'ip', { event: 'new_message', template_name: 'message_alert.html', key: 'smtp' });
    await api.work({ email });
    const [head = ''] = smtp.received.join('').split('\r\n\r\n');
    const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ');
    const valuesOf = (name: string) => [...unfolded.matchAll(new RegExp(`^${name}: (.*)$`, 'gim'))].map(([, value]) => value);
    assert.match(valuesOf('Message-ID').join('|'), /^<delivery-\d+@localhost>$/);
    assert.deepEqual(valuesOf('Auto-Submitted'), ['auto-generated']);
    assert.deepEqual(valuesOf('References'), ['<chain-7@localhost>']);
    assert.deepEqual(valuesOf('In-Reply-To'), ['<chain-7@localhost>']);
    assert.match(valuesOf('List-Unsubscribe').join('|'), /^<http:\S+token=\d+\.new_message\.[\w-]{43}>$/);
    assert.deepEqual(valuesOf('List-Unsubscribe-Post'), ['List-Unsubscribe=One-Click']);
    assert.deepEqual(valuesOf('Bcc'), []);
  });
});
