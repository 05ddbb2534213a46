import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CASE_1 } from '../../support/cast.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const NAMES = ['parent', 'surrogate', 'manager'] as const;
const [parent, surrogate, manager, escrow] = await Promise.all([...NAMES, 'escrow' as const].map((name) => api.as(name)));
const people = [parent, surrogate, manager, escrow] as [Client, Client, Client, Client];
const TYPES = ['intended_parent', 'surrogate', 'case_manager'];
const STAFF = 3;

/** An action in the group. `who` is a position in `people`. */
type Step = { who: number; what: 'send' | 'view' | 'mark' };

/** The rules about marks without a database. For each message it stores the people who have not viewed it (UNREAD-1). */
class Model {
  readonly waiting: Set<number>[] = [];
  /** A message is never unread for its sender, and the first admin who views it clears it for all admins. */
  apply({ who, what }: Step): void {
    const own = () => this.waiting.filter((_, at) => this.readers[at]?.has(who));
    if (what === 'mark') own().at(-1)?.add(who);
    else for (const message of this.waiting) message.delete(who);
    if (what !== 'send') return;
    const readers = new Set([0, 1, 2, STAFF].filter((reader) => reader !== who));
    this.readers.push(readers);
    this.waiting.push(new Set(readers));
  }
  readonly readers: Set<number>[] = [];
  unread(who: number): number {
    return this.waiting.filter((message) => message.has(who)).length;
  }
}

const step = fc.record<Step>({
  who: fc.constantFrom(0, 1, 2, STAFF),
  what: fc.constantFrom('send', 'send', 'view', 'mark'),
});

async function startGroup(): Promise<number> {
  const recipients = people.slice(1, STAFF).map((person, at) => ({ user_type: TYPES[at + 1], user_id: person.userId }));
  const { body } = await people[0].form('/api/messages', {
    message: 'The first',
    case_id: String(CASE_1),
    recipients: JSON.stringify(recipients),
  });
  return body.chain.id;
}

async function perform(chainId: number, { who, what }: Step): Promise<void> {
  const person = people[who] as Client;
  if (what === 'send') assert.equal((await person.form(`/api/messages/${chainId}`, { message: 'More' })).status, 201);
  else if (what === 'view') assert.equal((await person.post(`/api/messages/${chainId}/viewed`, {})).status, 200);
  else assert.equal((await person.post(`/api/messages/${chainId}/unread`)).status, 200);
}

async function unreadIn(chainId: number, who: number): Promise<number> {
  return (await (people[who] as Client).get(`/api/messages/${chainId}`)).body.chain.unread_count;
}

test('[UNREAD-1] after any actions, each person sees the unread count that the rules give', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const chainId = await startGroup();
      const model = new Model();
      model.apply({ who: 0, what: 'send' });
      for (const one of steps) {
        await perform(chainId, one);
        model.apply(one);
      }
      for (const who of [0, 1, 2, STAFF]) assert.equal(await unreadIn(chainId, who), model.unread(who), `person ${who}`);
    }),
    { numRuns: 25 },
  );
});

test('[CHAIN-18] a person has one mark for a message: the table rejects a second', async () => {
  const chainId = await startGroup();
  const marks = 'insert into message_recipient (message_id, user_id, chain_id) select message_id, user_id, chain_id';
  const again = `${marks} from message_recipient where chain_id = $1`;
  await assert.rejects(api.pool.query(again, [chainId]), { constraint: 'message_recipient_pkey' });
});

test('[UNREAD-1] parallel sends and views never leave a wrong unread count', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const chainId = await startGroup();
      const before = await Promise.all(people.map((person) => person.get('/api/messages/unread/count')));
      await Promise.all(steps.map((one) => perform(chainId, one)));
      for (const who of [0, 1, 2, STAFF]) {
        const person = people[who] as Client;
        const { data } = (await person.get(`/api/messages/${chainId}?limit=100`)).body.messages;
        const unviewed = data.filter((message: { viewed: string | null }) => message.viewed === null);
        // Count, list, and marks agree, and no message is unread for its sender.
        assert.equal(await unreadIn(chainId, who), unviewed.length);
        assert.ok(unviewed.every((message: { from_id: number }) => message.from_id !== person.userId));
        await person.post(`/api/messages/${chainId}/viewed`, {});
        assert.equal(await unreadIn(chainId, who), 0);
      }
      const after = await Promise.all(people.map((person) => person.get('/api/messages/unread/count')));
      for (const [who, answer] of after.entries()) {
        assert.ok(answer.body.unread_count <= (before[who]?.body.unread_count ?? 0));
      }
    }),
    { numRuns: 15 },
  );
});
