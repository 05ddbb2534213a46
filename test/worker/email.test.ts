import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { RetryLaterError } from '@case-platform/lib/jobs';
import { runInRequest } from '@case-platform/lib/request-context';
import { mailInvitation } from '@case-platform/modules/accounts';
import { createEmailProvider, PermanentFailure, sendEmail } from '@case-platform/modules/notifications';
import { startApi } from '../support/platform.ts';
import { EVERY_STATUS, startSink } from '../support/sink.ts';
import { startSmtp } from '../support/smtp.ts';

const FROM = 'Case Platform <no-reply@demo.test>';
const SEND = '/v3/mail/send';
const sink = await startSink({ status: 202, headers: { 'x-message-id': 'sg-1' } });
const silent = await startSink('hang');
const email = createEmailProvider({ from: FROM, sendgrid: { apiKey: 'SG.test', baseUrl: sink.origin } });
assert.ok(email);
const mail = { to: 'parent@demo.test', subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
const bodies = () => sink.received.map(({ body }) => JSON.parse(body.toString()));

const api = await startApi();
const parent = await api.as('parent');
const to = { id: parent.userId, user_type: 'ip' as const, email_address: 'parent@demo.test' };
const notice = (key: string) => ({
  key,
  event: 'password_changed' as const,
  to,
  subject: 'Line\r\nBcc: x@evil.test',
  run_in_background: false as const,
  template_name: 'account_notice.html' as const,
  template_context: { first_name: '<b>', role: 'parent', headline: 'Changed', sentence: 'It was changed.' },
});
const stateOf = async (key: string) =>
  (await api.pool.query('select state, error from delivery where delivery_key like $1', [`${key}:%`])).rows;

beforeEach(() => {
  sink.received.length = 0;
  sink.answers.clear();
});

describe('[EMAIL-1] SendGrid through its own SDK', () => {
  test('[EMAIL-12] SendGrid gets the subject, both parts, and our own id of the delivery', async () => {
    assert.equal(await email.send({ ...mail, delivery_id: 12 }), 'sg-1');
    const [body] = bodies();
    assert.deepEqual(body.personalizations[0].to, [{ email: 'parent@demo.test' }]);
    assert.deepEqual(body.personalizations[0].custom_args ?? body.custom_args, { delivery_id: '12' });
    assert.deepEqual(body.content.map(({ type }: { type: string }) => type).sort(), ['text/html', 'text/plain']);
    assert.equal(sink.received[0]?.headers.authorization, 'Bearer SG.test');
  });

  test('[NOTIFY-11] a call to a provider that hangs is ended, and the mail is tried again later', async () => {
    const settings = { from: FROM, giveUpAfterMs: 50, sendgrid: { apiKey: 'SG.test', baseUrl: silent.origin } };
    for (const provider of [createEmailProvider(settings), createEmailProvider({ ...settings, mailpitUrl: silent.origin })]) {
      const sending = provider?.send(mail) ?? Promise.resolve();
      await assert.rejects(sending, (error) => error instanceof Error && !(error instanceof PermanentFailure));
    }
  });

  test('[EMAIL-17] a template that is mapped is used by its identifier; without it, our own mail is sent', async () => {
    const templates = { invitation: 'd-7c1b5f0a2e9d4c38b6a1f4e2d0c95b73' };
    const mapped = createEmailProvider({ from: FROM, sendgrid: { apiKey: 'SG.test', baseUrl: sink.origin, templates } });
    const invitation = { user: { ...to, first_name: 'Pat', last_name: '', agency_id: null, admin_role_id: null } };
    const urls = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
    const invite = (mail_templates: Record<string, string>) =>
      runInRequest({ request_id: 'request-of-an-invitation', mail_templates }, () =>
        api.db.transaction((tx) => mailInvitation(tx, { ...invitation, token: 't', invited_by: 'www.root.test' }, urls)),
      );
    const takeBodies = () => {
      const sent = bodies();
      sink.received.length = 0;
      return sent;
    };
    await invite({ invitation: 'invitation' });
    await api.work({ email: mapped });
    const [body] = takeBodies();
    assert.equal(body.template_id, templates.invitation);
    assert.equal(body.personalizations[0].dynamic_template_data.invited_by, 'www.\u2060root.\u2060test', 'names are no links');
    assert.equal(body.content, undefined);
    for (const [provider, names] of [
      [mapped, { invitation: 'unmapped' }],
      [mapped, { role_granted: 'invitation' }],
      [mapped, { invitation: 'toString' }],
      [email, { invitation: 'invitation' }],
    ] as const) {
      await invite(names);
      await api.work({ email: provider });
      const [own] = takeBodies();
      assert.deepEqual([own.template_id, own.content.length], [undefined, 2], JSON.stringify(names));
    }
    sink.answers.set(SEND, 400);
    await invite({ invitation: 'invitation' });
    await api.work({ email: mapped });
    assert.deepEqual(
      bodies().map(({ template_id, content }) => [template_id, content?.length]),
      [
        [templates.invitation, undefined],
        [undefined, 2],
      ],
    );
  });

  test('[EMAIL-1] a provider behind a gateway is called below its path, and a rejection names status and host', async () => {
    const base = `${sink.origin}/gate/way`;
    const settings = { from: FROM, sendgrid: { apiKey: 'SG.secret', baseUrl: `${base}/` } };
    const host = new URL(sink.origin).host;
    for (const [provider, path, name] of [
      [createEmailProvider(settings), `/gate/way${SEND}`, 'SendGrid'],
      [createEmailProvider({ ...settings, mailpitUrl: base }), '/gate/way/api/v1/send', 'Mailpit'],
    ] as const) {
      sink.received.length = 0;
      sink.answers.set(path, 503);
      await assert.rejects(provider?.send(mail) ?? Promise.resolve(), (error) => {
        assert.ok(error instanceof Error);
        assert.equal(error.message, `${name} at ${host} answered 503.`);
        assert.ok(!error.message.includes('SG.secret'));
        return true;
      });
      assert.equal(sink.received[0]?.path, path);
    }
  });

  test('[EMAIL-17] a template that the account does not have is requested once, and one that it has is used again', async () => {
    const templates = { gone: 'd-gone', here: 'd-here' };
    const provider = createEmailProvider({ from: FROM, sendgrid: { apiKey: 'SG.test', baseUrl: sink.origin, templates } });
    sink.answers.set(SEND, ({ body }) => (JSON.parse(body.toString()).template_id === 'd-gone' ? 400 : 202));
    for (const name of ['gone', 'gone', 'here', 'here']) await provider?.send({ ...mail, template: { name, data: {} } });
    assert.deepEqual(
      bodies().map(({ template_id }) => template_id),
      ['d-gone', undefined, undefined, 'd-here', 'd-here'],
    );
  });

  test('[EMAIL-17] only a template that is rejected while our own mail is accepted is no longer requested', async () => {
    const templates = { reset: 'd-reset' };
    const answers = [202, 400, 413, 429, 503, 'drop'] as const;
    const switchedOff: string[] = [];
    for (const withTemplate of answers) {
      for (const without of answers) {
        const provider = createEmailProvider({ from: FROM, sendgrid: { apiKey: 'SG.test', baseUrl: sink.origin, templates } });
        const send = () => provider?.send({ ...mail, template: { name: 'reset', data: {} } });
        sink.answers.set(SEND, ({ body }) => (JSON.parse(body.toString()).template_id === undefined ? without : withTemplate));
        await send()?.catch(() => {});
        sink.answers.set(SEND, 202);
        sink.received.length = 0;
        await send();
        if (bodies()[0].template_id === undefined) switchedOff.push(`${withTemplate}, ${without}`);
      }
    }
    assert.deepEqual(switchedOff, ['400, 202', '413, 202']);
  });
});

describe('[EMAIL-11] each answer of a mail provider', () => {
  const MAILPIT = '/api/v1/send';
  const settings = { from: FROM, sendgrid: { apiKey: 'SG.test', baseUrl: sink.origin } };
  const mailpit = createEmailProvider({ ...settings, mailpitUrl: sink.origin });
  /** 'sent', 'refused' permanently, or 'again', with the seconds until the next try if the provider named them. */
  const outcome = async (provider: typeof mailpit, path: string, answer: Parameters<typeof sink.answers.set>[1]) => {
    sink.answers.set(path, answer);
    try {
      await provider?.send(mail);
      return 'sent';
    } catch (error) {
      if (error instanceof PermanentFailure) return 'refused';
      return error instanceof RetryLaterError ? `again in ${error.seconds}` : 'again';
    }
  };

  test('[EMAIL-11] each status of SendGrid and Mailpit accepts the mail, rejects it for good, or leads to another try', async () => {
    const sendgrid = createEmailProvider(settings);
    sink.answers.set('/elsewhere', { status: 200, body: { ID: 'not a mail' } });
    for (const status of EVERY_STATUS) {
      const answer = { status, body: { ID: 'mp-1' }, headers: { location: `${sink.origin}/elsewhere` } };
      const isPermanent = [400, 413].includes(status) ? 'refused' : 'again';
      assert.equal(await outcome(sendgrid, SEND, answer), status < 300 ? 'sent' : isPermanent, `SendGrid ${status}`);
      // Mailpit answers 200 with the mail's id, and a 204 has no body for one.
      const isSent = status < 300 && status !== 204;
      const other = status === 400 ? 'refused' : 'again';
      assert.equal(await outcome(mailpit, MAILPIT, answer), isSent ? 'sent' : other, `Mailpit ${status}`);
    }
    assert.ok(!sink.received.some(({ path }) => path === '/elsewhere'), 'no redirect is followed');
  });

  test('[EMAIL-11] a dropped connection, an answer of another form, and one without an end lead to another try', async () => {
    const sendgrid = createEmailProvider(settings);
    assert.equal(await outcome(sendgrid, SEND, 'drop'), 'again');
    assert.equal(await outcome(mailpit, MAILPIT, 'drop'), 'again');
    for (const body of ['', '<html>', 'null', '[]', '{}']) {
      assert.equal(await outcome(mailpit, MAILPIT, { status: 200, body }), 'again', `Mailpit: ${body}`);
      // SendGrid names the mail in a header, and its body is empty.
      assert.equal(await outcome(sendgrid, SEND, { status: 202, body }), 'sent', `SendGrid: ${body}`);
      assert.equal(await outcome(sendgrid, SEND, { status: 503, body }), 'again', `SendGrid: 503 ${body}`);
    }
    const impatient = { ...settings, giveUpAfterMs: 500 };
    const providers = [createEmailProvider(impatient), createEmailProvider({ ...impatient, mailpitUrl: sink.origin })];
    for (const body of ['endless', 'dripping']) {
      for (const status of [200, 503]) {
        const outcomes = providers.map((provider, at) => outcome(provider, [SEND, MAILPIT][at] ?? '', { status, body }));
        assert.deepEqual(await Promise.all(outcomes), ['again', 'again'], `${status} ${body}`);
      }
    }
  });

  test('[EMAIL-11] the next try waits as long as the provider says, and at most an hour', async () => {
    const sendgrid = createEmailProvider(settings);
    for (const [headers, expected] of [
      [{ 'retry-after': '1200' }, /^again in 1200$/],
      [{ 'retry-after': '86400' }, /^again in 3600$/],
      [{ 'retry-after': new Date(Date.now() + 600_000).toUTCString() }, /^again in (59\d|600)$/],
      [{ 'retry-after': 'soon' }, /^again$/],
      [{}, /^again$/],
    ] as const) {
      for (const status of [429, 503]) {
        assert.match(await outcome(sendgrid, SEND, { status, headers }), expected);
        assert.match(await outcome(mailpit, MAILPIT, { status, headers }), expected);
      }
    }
    const limits = (remaining: string, inSeconds: number) => ({
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + inSeconds),
    });
    const limited = (remaining: string, inSeconds: number) =>
      outcome(sendgrid, SEND, { status: 429, headers: limits(remaining, inSeconds) });
    assert.match(await limited('0', 60), /^again in (59|60)$/);
    assert.equal(await limited('0', 86_400), 'again in 3600');
    assert.equal(await limited('0', -5), 'again');
    assert.equal(await limited('9', 60), 'again');
  });
});

describe('[EMAIL-10] sending parameters', () => {
  const addresses = { webUrl: 'http://localhost:3000', apiUrl: 'http://localhost:4000' };
  const context = { db: api.db, email, keepsContent: true, ...addresses };

  test('[EMAIL-10] run_in_background false: sent before it returns, once for a key, escaped, on one line', async () => {
    assert.equal(await sendEmail(context, notice('now')), 'sent');
    assert.equal(await sendEmail(context, notice('now')), 'sent');
    const [body, ...more] = bodies();
    assert.equal(more.length, 0);
    assert.equal(body.subject, 'Line Bcc: x@\u2060evil.\u2060test');
    assert.match(JSON.stringify(body.content), /&lt;b&gt;/);
    await api.pool.query('update graphile_worker._private_jobs set run_at = now()');
    await api.work({ email });
    assert.equal(sink.received.length, 1, 'the job for the background finds the mail sent');
  });

  test('[EMAIL-10] run_in_background true: sent with what background_tasks commits, and not without it', async () => {
    const queue = (key: string, fails: boolean) =>
      api.db.transaction(async (tx) => {
        const state = await sendEmail(context, { ...notice(key), run_in_background: true, background_tasks: tx });
        assert.equal(state, 'queued');
        if (fails) throw new Error('rolled back');
      });
    await queue('committed', false);
    await assert.rejects(queue('rolled back', true));
    assert.equal(sink.received.length, 0);
    await api.work({ email });
    assert.equal(sink.received.length, 1);
    assert.deepEqual([(await stateOf('committed'))[0].state, await stateOf('rolled back')], ['sent', []]);
  });

  test('[EMAIL-10] a mail that cannot be sent at once because the provider is away waits in the background and is sent once', async () => {
    sink.answers.set(SEND, 500);
    assert.equal(await sendEmail(context, notice('broken')), 'queued');
    const error = `SendGrid at ${new URL(sink.origin).host} answered 500.`;
    assert.deepEqual(await stateOf('broken'), [{ state: 'queued', error }]);
    sink.answers.clear();
    await api.pool.query('update graphile_worker._private_jobs set run_at = now()');
    await api.work({ email });
    assert.deepEqual(await stateOf('broken'), [{ state: 'sent', error: null }]);
    assert.equal(sink.received.length, 2);
  });

  test('[EMAIL-10, EMAIL-11] a mail that cannot be sent at once waits as long as the provider asks', async () => {
    sink.answers.set(SEND, { status: 429, headers: { 'retry-after': '1200' } });
    assert.equal(await sendEmail(context, notice('limited')), 'queued');
    const { rows } = await api.pool.query(`
      select extract(epoch from j.run_at - now())::float as wait from graphile_worker._private_jobs j
       where j.payload->>'delivery_id' = (select id::text from delivery where delivery_key like 'limited:%')`);
    assert.equal(rows.length, 1);
    assert.ok(rows[0].wait > 1100 && rows[0].wait <= 1200, String(rows[0].wait));
  });

  test('[EMAIL-10] a mail that is rejected for good when sent at once is reported instead of thrown', async () => {
    sink.answers.set(SEND, 400);
    assert.equal(await sendEmail(context, notice('refused')), 'failed');
    assert.deepEqual(await stateOf('refused'), [{ state: 'failed', error: 'SendGrid refused the mail (400).' }]);
  });

  test('[EMAIL-10] a reset link is sent at once, by the job that creates it, without another job in between', async () => {
    await api.pool.query('delete from graphile_worker._private_jobs');
    await api.anonymous.post('/api/user/auth/password-reset/request', {
      email_address: 'parent@demo.test',
      user_type: 'intended_parent',
    });
    await api.work({ email });
    const [body, ...more] = bodies();
    assert.equal(more.length, 0);
    assert.equal(body.subject, 'Set a new password');
    const { rows } = await api.pool.query(
      "select state, attempts from delivery where event = 'password_reset' order by id desc limit 1",
    );
    assert.deepEqual(rows, [{ state: 'sent', attempts: 1 }]);
    const { rows: jobs } = await api.pool.query(
      "select run_at > now() + interval '30 seconds' as later from graphile_worker.jobs where task_identifier = 'deliver_email'",
    );
    assert.deepEqual(jobs, [{ later: true }], 'the job for the background was not needed');
  });
});

describe('[EMAIL-1] MAILPIT_URL with SMTP', () => {
  test('[EMAIL-1] a mail is sent by SMTP, and each code from 500 on is permanent', async () => {
    const { url: mailpitUrl, received } = await startSmtp();
    const smtp = createEmailProvider({ from: FROM, mailpitUrl, sendgrid: {} });
    assert.match((await smtp?.send(mail)) ?? '', /@/);
    assert.match(received.join(''), /Subject: Hello/);
    for (const [code, isPermanent] of [
      [450, false],
      [499, false],
      [500, true],
      [550, true],
      [599, true],
    ] as const) {
      const failure = await smtp?.send({ ...mail, to: `refused-${code}@demo.test` }).catch((error) => error);
      assert.ok(failure instanceof Error && failure.message.includes(String(code)), `${code} ${failure}`);
      assert.equal(failure instanceof PermanentFailure, isPermanent, String(code));
    }
  });
});
