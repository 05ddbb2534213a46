import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { CASE_1, CASE_2, CASE_3 } from '../../support/cast.ts';
import { grant } from '../../support/grant.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
await grant(api.pool, 'viewer', 'view_messages');
const { parent, parent2, surrogate, manager, escrow, viewer, bothSurrogate: stranger } = await api.everyone();

const start = async (who: Client, fields: Record<string, string>) => {
  const answer = await who.form('/api/messages', fields);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
};
const to = (...people: [string, Client][]) =>
  JSON.stringify(people.map(([user_type, { userId }]) => ({ user_type, user_id: userId })));
const unread = async (who: Client): Promise<number> => (await who.get('/api/messages/unread/count')).body.unread_count;
const chainIds = async (who: Client): Promise<number[]> =>
  (await who.get('/api/messages?limit=100')).body.data.map((chain: { id: number }) => chain.id);
/** Counts all rows of conversations in the tables, because lists show only a page. */
const countWritten = async () =>
  (
    await api.pool.query(
      `select (select count(*) from message_chain) as chains, (select count(*) from message) as messages,
              (select count(*) from message_file) as files`,
    )
  ).rows[0];

describe('starting a chain', () => {
  test('[MESSAGE-1, MESSAGE-12] a message without named recipients goes to the assigned admin', async () => {
    const { chain, message } = await start(parent, {
      message: '  Hello  ',
      case_id: String(CASE_1),
      subject: 'A question',
    });
    assert.deepEqual(
      { to_admin: message.to_admin, to_id: message.to_id, to_type: message.to_type, text: message.message },
      { to_admin: true, to_id: null, to_type: null, text: 'Hello' },
    );
    assert.equal(chain.subject, 'A question');
    assert.equal(message.from_type, 'intended_parent');
    assert.ok((await chainIds(escrow)).includes(chain.id));
  });

  test('[MESSAGE-1] a message between people who are not staff goes to the assigned admin too', async () => {
    const before = await unread(escrow);
    const { chain, message } = await start(parent, {
      message: 'Hello',
      case_id: String(CASE_1),
      recipients: to(['surrogate', surrogate]),
    });
    assert.deepEqual(
      { to_admin: message.to_admin, to_id: message.to_id, to_type: message.to_type },
      { to_admin: true, to_id: surrogate.userId, to_type: 'surrogate' },
    );
    assert.equal(await unread(escrow), before + 1);
    assert.ok((await chainIds(surrogate)).includes(chain.id));
  });

  test('[CHAIN-4] a new conversation goes to the escrow specialist', async () => {
    const { chain } = await start(surrogate, { message: 'Hello', case_id: String(CASE_1) });
    assert.equal(chain.assigned_admin_id, escrow.userId);
    assert.equal(chain.case_id, CASE_1);
  });

  test('[CHAIN-8] without a named case, the only case of the sender counts', async () => {
    const { chain } = await start(parent, { message: 'Hello' });
    assert.deepEqual([chain.case_id, chain.assigned_admin_id], [CASE_1, escrow.userId]);
  });

  test('[CHAIN-5] a case without an escrow specialist leaves it to those who may reassign', async () => {
    const lonely = await api.as('totp');
    const { chain } = await start(lonely, { message: 'Hello', case_id: String(CASE_3) });
    assert.equal(chain.assigned_admin_id, null);
    assert.ok((await chainIds(escrow)).includes(chain.id), 'the Escrow Specialist role may reassign threads');
    assert.ok(!(await chainIds(viewer)).includes(chain.id), 'the Viewer role may not');
  });

  test('[MESSAGE-2] several recipients make a group, whose messages have no single recipient', async () => {
    const { chain, message } = await start(escrow, {
      message: 'To all',
      case_id: String(CASE_1),
      recipients: to(['intended_parent', parent], ['intended_parent', parent2], ['case_manager', manager]),
    });
    assert.deepEqual([message.to_id, message.to_type, message.to_admin], [null, null, false]);
    const names = chain.participants.map((person: { user_type: string }) => person.user_type);
    assert.deepEqual(names, ['intended_parent', 'intended_parent', 'case_manager', 'admin']);
  });

  test('[CHAIN-9, CHAIN-10] an admin must name recipients, and needs send_group_messages for several', async () => {
    assert.equal((await escrow.form('/api/messages', { message: 'x', case_id: String(CASE_1) })).status, 422);
    const several = { message: 'x', recipients: to(['intended_parent', parent], ['intended_parent', parent2]) };
    assert.equal((await viewer.form('/api/messages', several)).status, 403);
    const leave = (leftAt: string) =>
      api.pool.query(`update case_participant set left_at = ${leftAt} where user_id = $1`, [surrogate.userId]);
    await leave('now()');
    const former = await escrow.form('/api/messages', { message: 'x', recipients: to(['surrogate', surrogate]) });
    await leave('null');
    assert.equal(former.status, 404, 'someone who has left the cases that the admin sees');
  });

  test('[CHAIN-11] replies to more than one person need send_group_messages, and others do not', async () => {
    const all = to(['intended_parent', parent], ['surrogate', surrogate]);
    const { chain: group } = await start(escrow, { message: 'To both', case_id: String(CASE_1), recipients: all });
    const { chain: direct } = await start(escrow, { message: 'To one', recipients: to(['surrogate', surrogate]) });
    const setGroup = (set: boolean) =>
      api.pool.query(
        set
          ? "insert into admin_role_permission select admin_role_id, 'send_group_messages' from user_account where id = $1"
          : `delete from admin_role_permission where permission = 'send_group_messages'
               and admin_role_id = (select admin_role_id from user_account where id = $1)`,
        [escrow.userId],
      );
    const reply = async (who: Client, { id }: { id: number }) => {
      const { status, body } = await who.form(`/api/messages/${id}`, { message: 'A reply' });
      return body.code ?? status;
    };
    await setGroup(false);
    const before = await countWritten();
    assert.equal(await reply(escrow, group), 'missing_permission');
    assert.deepEqual(await countWritten(), before);
    assert.equal(await reply(escrow, direct), 201);
    assert.equal(await reply(parent, group), 201, 'people who are not staff need no permission');
    await api.pool.query('update message_chain_group set left_at = now() where chain_id = $1 and user_id = $2', [
      group.id,
      parent.userId,
    ]);
    assert.equal(await reply(escrow, group), 201, 'only one person is left');
    await api.pool.query('update message_chain_group set left_at = null where chain_id = $1', [group.id]);
    assert.equal(await reply(escrow, group), 'missing_permission');
    await setGroup(true);
    assert.equal(await reply(escrow, group), 201);
  });

  test('[CHAIN-9] a foreign case, and a foreign, invented, or mistyped recipient, is a 404, and nothing is written', async () => {
    const before = await countWritten();
    const refused = [
      { message: 'x', case_id: String(CASE_2) },
      { message: 'x', case_id: '999999' },
      { message: 'x', recipients: to(['surrogate', stranger]) },
      { message: 'x', case_id: String(CASE_1), recipients: to(['surrogate', stranger]) },
      { message: 'x', recipients: JSON.stringify([{ user_type: 'surrogate', user_id: 987654 }]) },
      { message: 'x', recipients: to(['intended_parent', surrogate]) },
    ];
    for (const fields of refused) {
      const answer = await parent.form('/api/messages', fields);
      assert.equal(answer.status, 404, JSON.stringify(fields));
    }
    assert.deepEqual(await countWritten(), before);
    await start(parent, { message: 'x', recipients: to(['surrogate', surrogate]) });
    assert.notDeepEqual(await countWritten(), before, 'what is taken is written');
  });

  test('[MESSAGE-8] injected fields change nothing', async () => {
    const { message, chain } = await start(parent, {
      message: 'Hello',
      from_id: String(escrow.userId),
      from_type: 'admin',
      to_admin: 'false',
      viewed: '2020-01-01T00:00:00Z',
      assigned_admin_id: String(viewer.userId),
    });
    assert.deepEqual([message.from_id, message.to_admin, chain.assigned_admin_id], [parent.userId, true, escrow.userId]);
  });

  test('[MESSAGE-3] text, subject and fields have limits', async () => {
    const cases: [Record<string, string>, number][] = [
      [{ message: '' }, 422],
      [{ message: ' \n\t ' }, 422],
      [{ subject: 'no message' }, 422],
      [{ message: 'x'.repeat(10_001) }, 422],
      [{ message: 'x'.repeat(10_000) }, 201],
      [{ message: '💜'.repeat(10_000) }, 201],
      [{ message: 'x', subject: 'x'.repeat(201) }, 422],
      [{ message: 'nul \u0000 inside' }, 422],
      [{ message: 'x', case_id: '1; drop table message' }, 422],
      [{ message: 'x', recipients: 'not json' }, 422],
      [{ message: 'x', recipients: JSON.stringify([{ user_type: 'ip', user_id: 1 }]) }, 422],
      [{ message: 'x', recipients: to(['intended_parent', parent]) }, 422],
      [{ message: 'x'.repeat(100_000) }, 422],
    ];
    for (const [fields, status] of cases) {
      const answer = await parent.form('/api/messages', fields);
      assert.equal(answer.status, status, `${JSON.stringify(fields).slice(0, 80)} ${JSON.stringify(answer.body)}`);
    }
  });

  test('[ERROR-3] another content type is a 415, a broken form a 422', async () => {
    assert.equal((await parent.post('/api/messages', { message: 'x' })).status, 415);
    const broken = await parent.call('POST', '/api/messages', {
      body: '--b\r\nContent-Disposition: form-data; name="message"\r\n\r\nhal',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    assert.equal(broken.status, 422);
  });
});

describe('once', () => {
  test('[IDEMPOTENCY-1] 20 parallel sends with one Idempotency-Key create one message', async () => {
    const { chain } = await start(parent, { message: 'Hello' });
    const key = { 'idempotency-key': 'send-once' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => parent.form(`/api/messages/${chain.id}`, { message: 'only once' }, [], key)),
    );
    const statuses = new Set(answers.map((answer) => answer.status));
    assert.ok(
      [...statuses].every((status) => status === 201 || status === 409),
      [...statuses].join(),
    );
    assert.equal((await parent.form(`/api/messages/${chain.id}`, { message: 'only once' }, [], key)).status, 201);
    const { body } = await parent.get(`/api/messages/${chain.id}`);
    assert.equal(body.messages.data.filter((m: { message: string }) => m.message === 'only once').length, 1);
  });

  test('[IDEMPOTENCY-2, IDEMPOTENCY-3] the same key and request gets the same answer, another request a 422, another person their own', async () => {
    const key = { 'idempotency-key': 'k1' };
    const first = await parent.form('/api/messages', { message: 'Hello' }, [], key);
    const again = await parent.form('/api/messages', { message: 'Hello' }, [], key);
    assert.deepEqual([again.status, again.body.message.id], [201, first.body.message.id]);
    assert.equal((await parent.form('/api/messages', { message: 'Other' }, [], key)).status, 422);
    const file = { name: 'a.txt', type: 'text/plain', content: Buffer.from('a file') };
    assert.equal((await parent.form('/api/messages', { message: 'Hello' }, [file], key)).status, 422);
    const withFile = { 'idempotency-key': 'with-a-file' };
    assert.equal((await parent.form('/api/messages', { message: 'Hello' }, [file], withFile)).status, 201);
    const renamed = { ...file, name: 'b.txt' };
    assert.equal((await parent.form('/api/messages', { message: 'Hello' }, [renamed], withFile)).status, 422);
    assert.notEqual(
      (await surrogate.form('/api/messages', { message: 'Hello' }, [], key)).body.message.id,
      first.body.message.id,
    );
    assert.equal((await parent.form('/api/messages', { message: 'x' }, [], { 'idempotency-key': 'x'.repeat(256) })).status, 422);
  });

  test('[MESSAGE-5] the key stays with the message, and is shown to its sender only', async () => {
    const key = 'the-tap-on-send';
    const answer = await start(parent, { message: 'Hello', recipients: to(['surrogate', surrogate]) });
    const reply = await parent.form(`/api/messages/${answer.chain.id}`, { message: 'More' }, [], {
      'idempotency-key': key,
    });
    assert.equal(reply.body.message.client_key, key);
    const keysFor = async (who: Client) =>
      (await who.get(`/api/messages/${answer.chain.id}`)).body.messages.data.map(
        (message: { client_key: string | null }) => message.client_key,
      );
    assert.deepEqual(await keysFor(parent), [key, null]);
    for (const other of [surrogate, escrow]) assert.deepEqual(await keysFor(other), [null, null]);
  });

  test('[MESSAGE-5] the same key gets the same message forever, and never another one', async () => {
    const started = { 'idempotency-key': 'for-ever-1' };
    const replied = { 'idempotency-key': 'for-ever-2' };
    const first = await parent.form('/api/messages', { message: 'Hello' }, [], started);
    const { id } = first.body.chain;
    const second = await parent.form(`/api/messages/${id}`, { message: 'More' }, [], replied);
    const yearsPass = () => api.pool.query("update idempotency_key set created_at = now() - interval '3 years'");
    await yearsPass();
    const again = await parent.form('/api/messages', { message: 'Hello' }, [], started);
    assert.deepEqual([again.status, again.body.message.id], [201, first.body.message.id]);
    const replyAgain = await parent.form(`/api/messages/${id}`, { message: 'More' }, [], replied);
    assert.deepEqual([replyAgain.status, replyAgain.body.message.id], [201, second.body.message.id]);
    const total = (await parent.get(`/api/messages/${id}`)).body.messages.data.length;
    assert.equal(total, 2);
    for (const [path, message, headers] of [
      [`/api/messages/${id}`, 'Else', replied],
      [`/api/messages/${id}`, 'Hello', started],
      ['/api/messages', 'More', replied],
    ] as const) {
      await yearsPass();
      const other = await parent.form(path, { message }, [], headers);
      // The first message of a conversation may be repeated as a reply to it, and is then the same message.
      if (message === 'Hello') assert.deepEqual([other.status, other.body.message.id], [201, first.body.message.id]);
      else assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
    }
    const other = await surrogate.form('/api/messages', { message: 'Else' }, [], started);
    assert.equal(other.status, 201, "keys are a sender's");
    assert.equal((await parent.call('DELETE', `/api/messages/${id}/${second.body.message.id}`)).status, 200);
    await yearsPass();
    const retracted = await parent.form(`/api/messages/${id}`, { message: 'More' }, [], replied);
    assert.deepEqual([retracted.status, retracted.body.message.id], [201, second.body.message.id]);
  });

  test('[IDEMPOTENCY-4] a rejected request gives its key back', async () => {
    const key = { 'idempotency-key': 'k2' };
    assert.equal((await parent.form('/api/messages', { message: 'x', case_id: String(CASE_2) }, [], key)).status, 404);
    assert.equal((await parent.form('/api/messages', { message: 'x', case_id: String(CASE_1) }, [], key)).status, 201);
  });
});

describe('attachments', () => {
  const pdf = { name: 'Vertrag März.pdf', type: 'application/pdf', content: samplePdf('Contract') };

  test('[FILE-3, FILE-4] attachments are stored under messages/{chain_id}/{message_id}/{uuid}.{ext} and signed on reading', async () => {
    const { status, body } = await parent.form('/api/messages', { message: 'Attached' }, [pdf]);
    assert.equal(status, 201);
    const [file] = body.message.files;
    const { chain_id, id } = body.message;
    assert.match(new URL(file.url).pathname, new RegExp(`/messages/${chain_id}/${id}/[0-9a-f-]{36}\\.pdf$`));
    assert.deepEqual([file.filename, file.content_type, file.size], [pdf.name, pdf.type, pdf.content.length]);
    const read = await escrow.get(`/api/messages/${chain_id}`);
    const download = await fetch(read.body.messages.data[0].files[0].url);
    assert.equal(download.status, 200);
    assert.deepEqual(Buffer.from(await download.arrayBuffer()), pdf.content);
    assert.match(
      download.headers.get('content-disposition') ?? '',
      /^attachment; filename="Vertrag Marz\.pdf"; filename\*=UTF-8''Vertrag%20M%C3%A4rz\.pdf$/,
    );
    assert.equal((await fetch(file.url.split('?')[0])).status, 403, 'unsigned');
  });

  test('[FILE-4] attachment URLs expire after 1 hour', async () => {
    const { body } = await parent.form('/api/messages', { message: 'Attached' }, [pdf]);
    const [file] = body.message.files;
    assert.equal(new URL(file.url).searchParams.get('X-Amz-Expires'), '3600');
    const seconds = (Date.parse(file.url_expires_at) - Date.now()) / 1000;
    assert.ok(seconds > 3500 && seconds <= 3600, String(seconds));
  });

  test('[FILE-2] a type that is not allowed, or content that is not what it says, is a 422, and nothing is written', async () => {
    const before = await countWritten();
    const refused = [
      { name: 'page.html', type: 'text/html', content: Buffer.from('<script>alert(1)</script>') },
      { name: 'picture.svg', type: 'image/svg+xml', content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
      { name: 'fake.pdf', type: 'application/pdf', content: Buffer.from('not a pdf at all') },
      { name: 'program.exe', type: 'application/octet-stream', content: Buffer.from('MZ') },
      { name: 'empty.pdf', type: 'application/pdf', content: Buffer.alloc(0) },
    ];
    for (const file of refused) {
      const answer = await parent.form('/api/messages', { message: 'x' }, [pdf, file]);
      assert.equal(answer.status, 422, file.name);
    }
    assert.deepEqual(await countWritten(), before);
  });

  test('[FILE-1] at most 10 files of 25 MiB', async () => {
    const files = Array.from({ length: 11 }, () => pdf);
    assert.equal((await parent.form('/api/messages', { message: 'x' }, files)).status, 422);
    assert.equal((await parent.form('/api/messages', { message: 'x' }, files.slice(1))).status, 201);
    const large = { ...pdf, content: Buffer.concat([pdf.content, Buffer.alloc(25 * 1024 * 1024)]) };
    assert.equal((await parent.form('/api/messages', { message: 'x' }, [large])).status, 413);
  });
});
