import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { runInRequest } from '@case-platform/lib/request-context';
import {
  addNote,
  announceMessage,
  leaveChainsOfCase,
  leaveChainsOfOtherAgencies,
  markUnread,
  markViewed,
  reassignChains,
  removeFromCase,
  removeFromChain,
  replyToChain,
  retractMessage,
  updateChain,
} from '@case-platform/modules/messaging';
import type { Storage } from '@case-platform/modules/storage';
import type { Command } from './command.ts';
import type { Twins } from './seed-twins.ts';

const talk = ({ id }: Twins) => id('message_chain', 'Talk');
/** None of these messages has a file. */
const contextOf = (tx: Transaction) => ({ db: tx, storage: {} as Storage });
const NOTIFY = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };

export const MESSAGING_COMMANDS: Command[] = [
  {
    name: 'reading a conversation',
    work: (tx, twins) => markViewed(tx, twins.people.ann, talk(twins)),
    runs: 2,
  },
  {
    name: 'reading a conversation up to a message, then the rest',
    work: (tx, twins, round) =>
      markViewed(tx, twins.people.ann, talk(twins), twins.id('message', round === 0 ? 'Talk-Ben' : 'Talk-Ada')),
    runs: 2,
  },
  {
    name: 'reading a conversation as staff',
    work: (tx, twins) => markViewed(tx, twins.people.ada, talk(twins)),
    runs: 2,
  },
  {
    name: 'marking a conversation unread',
    prepare: (tx) => tx.query({ text: 'update message_recipient set viewed = now()', values: [] }),
    work: (tx, twins) => markUnread(tx, twins.people.ann, talk(twins)),
    runs: 2,
  },
  {
    name: 'marking a conversation unread whose newest message was taken back',
    prepare: async (tx, { id }) => {
      await tx.query({ text: 'update message_recipient set viewed = now()', values: [] });
      await tx.query({
        text: `update message set retracted_at = now(), message = '' where id = $1`,
        values: [id('message', 'Talk-Ada')],
      });
    },
    work: (tx, twins) => markUnread(tx, twins.people.ann, talk(twins)),
  },
  {
    name: 'marking a conversation unread as staff whose newest message was taken back',
    prepare: async (tx, { id }) => {
      await tx.query({ text: 'update message set admin_viewed = now() where to_admin', values: [] });
      await tx.query({
        text: `update message set retracted_at = now(), message = '' where id = $1`,
        values: [id('message', 'Talk-Ben')],
      });
    },
    work: (tx, twins) => markUnread(tx, twins.people.ada, talk(twins)),
  },
  {
    name: 'handing on the conversations of two cases to their specialists',
    prepare: async (tx, { people, id }) => {
      await tx.query({ text: `update user_account set status = 'deactivated' where id = $1`, values: [people.ada.id] });
      for (const [name, { id: specialist }] of [['One', people.bob] as const, ['Two', people.eve] as const])
        await tx.query({
          text: 'update case_file set escrow_specialist_id = $1 where id = $2',
          values: [specialist, id('case_file', name)],
        });
    },
    work: (tx) => reassignChains({ db: tx }),
  },
  {
    name: 'mailing about a message, and within ten minutes about the next one',
    prepare: (tx) => tx.query({ text: 'delete from notification_preference', values: [] }),
    work: async (tx, twins, round) => {
      const context = { db: tx, ...NOTIFY };
      if (round === 0) return announceMessage(context, { message_id: twins.id('message', 'Talk-Ada') });
      const { message_id } = await replyToChain(contextOf(tx), twins.people.ada, talk(twins), {
        message: 'So',
        files: [],
      });
      return announceMessage(context, { message_id });
    },
    runs: 2,
  },
  {
    name: 'marking a conversation unread as staff',
    prepare: (tx) => tx.query({ text: 'update message set admin_viewed = now() where to_admin', values: [] }),
    work: (tx, twins) => markUnread(tx, twins.people.ada, talk(twins)),
  },
  {
    name: 'answering in a closed conversation',
    prepare: (tx) => tx.query({ text: `update message_chain set status = 'closed'`, values: [] }),
    work: (tx, twins) => replyToChain(contextOf(tx), twins.people.ann, talk(twins), { message: 'Yes', files: [] }),
    runs: 2,
  },
  {
    name: 'answering after a message with a later number was written',
    prepare: async (tx) => {
      for (const table of ['message_chain', 'message_chain_group'])
        await tx.query({ text: `update ${table} set last_message_id = 999999999`, values: [] });
    },
    work: (tx, twins) => replyToChain(contextOf(tx), twins.people.ann, talk(twins), { message: 'Yes', files: [] }),
  },
  {
    name: 'answering as staff',
    work: (tx, twins) => replyToChain(contextOf(tx), twins.people.ada, talk(twins), { message: 'Yes', files: [] }),
  },
  {
    name: 'answering twice under one key',
    work: (tx, twins) =>
      replyToChain(contextOf(tx), twins.people.ann, talk(twins), { message: 'Yes', files: [], idempotencyKey: 'new' }),
    runs: 2,
  },
  {
    name: 'taking a message back',
    work: (tx, twins) =>
      retractMessage(
        tx,
        { chain_id: talk(twins), message_id: twins.id('message', 'Talk-Ann') },
        { actor: twins.people.ann, origin: SYSTEM },
      ),
    runs: 2,
  },
  {
    name: 'taking a message back that was read before',
    prepare: async (tx) => {
      await tx.query({
        text: `update message set admin_viewed = now() - interval '1 hour' where to_admin`,
        values: [],
      });
      await tx.query({ text: `update message_recipient set viewed = now() - interval '1 hour'`, values: [] });
    },
    work: (tx, twins) =>
      retractMessage(
        tx,
        { chain_id: talk(twins), message_id: twins.id('message', 'Talk-Ann') },
        { actor: twins.people.ann, origin: SYSTEM },
      ),
  },
  {
    name: 'closing a conversation',
    work: (tx, twins) => updateChain(tx, talk(twins), { status: 'closed' }, { actor: twins.people.ada, origin: SYSTEM }),
    runs: 2,
  },
  {
    name: 'assigning a conversation to colleagues who can and cannot answer it, and to no one',
    prepare: (tx, { people }) =>
      tx.query({ text: `update user_account set status = 'deactivated' where id = $1`, values: [people.eve.id] }),
    work: (tx, twins, round) => {
      const { bob, eve, ann } = twins.people;
      const assigned_admin_id = [bob.id, eve.id, ann.id, twins.crowd.get('admin in')?.id ?? 0, null][round] ?? null;
      return updateChain(tx, talk(twins), { assigned_admin_id }, { actor: twins.people.ada, origin: SYSTEM });
    },
    runs: 5,
  },
  {
    name: 'closing and assigning a conversation at once, and opening it again',
    work: (tx, twins, round) => {
      const change = round === 0 ? ({ status: 'closed', assigned_admin_id: null } as const) : ({ status: 'open' } as const);
      return updateChain(tx, talk(twins), change, { actor: twins.people.ada, origin: SYSTEM });
    },
    runs: 2,
  },
  {
    name: 'taking someone out of a conversation',
    work: (tx, twins) =>
      removeFromChain(tx, { chain_id: talk(twins), user_id: twins.people.ann.id }, { actor: twins.people.ada, origin: SYSTEM }),
    runs: 2,
  },
  {
    name: 'leaving the conversations of a case',
    work: (tx, twins) => leaveChainsOfCase(tx, twins.id('case_file', 'One'), twins.people.ann.id),
    runs: 2,
  },
  {
    name: 'leaving a case, with a conversation about no case that others of that case have left',
    prepare: async (tx, { people: { ann }, crowd, id }) => {
      const former = crowd.get('ip in')?.id ?? 0;
      for (const [text, ...values] of [
        ['update message_chain set case_id = null where id = $1', id('message_chain', 'Talk')],
        ['insert into case_participant (case_id, user_id, position) values ($1, $2, 3)', id('case_file', 'One'), former],
        ['insert into message_chain_group values ($1, $2, 0, now(), now())', id('message_chain', 'Talk'), former],
        ['update case_participant set left_at = now() where case_id = $1 and user_id = $2', id('case_file', 'One'), ann.id],
      ] as const)
        await tx.query({ text, values });
    },
    work: (tx, twins) => leaveChainsOfCase(tx, twins.id('case_file', 'One'), twins.people.ann.id),
    runs: 2,
  },
  ...['a case', 'a person'].map((what) => ({
    name: `leaving conversations, which some people had left before, when ${what} moves to another agency`,
    prepare: async (tx: Transaction, { id }: Twins) => {
      for (const [text, ...values] of [
        [`update user_account set agency_id = $1 where email_address like 'cm-%@crowd.test'`, id('agency', 'Alder')],
        ['update case_file set agency_id = $1 where id = $2', id('agency', 'Birch'), id('case_file', 'Crowd')],
      ] as const)
        await tx.query({ text, values });
    },
    work: (tx: Transaction, { id, crowd }: Twins, round: number) =>
      leaveChainsOfOtherAgencies(
        tx,
        what === 'a case'
          ? { case_id: id('case_file', 'Crowd'), former_agency_id: id('agency', 'Alder') }
          : { user_id: crowd.get(round === 0 ? 'cm left' : 'cm in')?.id ?? 0 },
      ),
    runs: 2,
  })),
  {
    name: 'taking someone off a case',
    work: (tx, twins) =>
      removeFromCase(tx, twins.id('case_file', 'One'), twins.people.ann.id, {
        actor: twins.people.eve,
        origin: SYSTEM,
      }),
    runs: 2,
  },
  {
    name: 'adding a note, twice under one key',
    work: (tx, twins) => addNote(tx, twins.people.ada, talk(twins), { note: 'Call back', idempotencyKey: 'new' }),
    runs: 2,
  },
  ...(
    [
      ['conversation', 'Elsewhere', 'Call back'],
      ['text', 'Talk', 'Call again'],
    ] as const
  ).map(([what, chain, second]) => ({
    name: `adding a note under a key that was used for a note with another ${what}`,
    work: (tx: Transaction, twins: Twins, round: number) => {
      const [chain_id, note] = round === 0 ? [talk(twins), 'Call back'] : [twins.id('message_chain', chain), second];
      return addNote(tx, twins.people.ada, chain_id, { note, idempotencyKey: 'new' });
    },
    runs: 2,
  })),
  {
    name: 'reassigning the conversations of someone who was deactivated',
    prepare: async (tx, { people, id }) => {
      await tx.query({ text: `update user_account set status = 'deactivated' where id = $1`, values: [people.ada.id] });
      await tx.query({
        text: 'update message_chain set assigned_admin_id = $1 where id = $2',
        values: [people.bob.id, id('message_chain', 'Elsewhere')],
      });
    },
    work: (tx) => reassignChains({ db: tx }),
    runs: 2,
  },
  {
    name: 'mailing and pushing about a message, as part of the request that sent it',
    prepare: (tx) => tx.query({ text: 'delete from notification_preference', values: [] }),
    work: (tx, twins) =>
      runInRequest({ request_id: 'of-the-message' }, () =>
        announceMessage({ db: tx, ...NOTIFY }, { message_id: twins.id('message', 'Talk-Ada') }),
      ),
  },
  {
    name: 'mailing about a message, once',
    prepare: (tx) => tx.query({ text: 'delete from notification_preference', values: [] }),
    work: (tx, twins) => announceMessage({ db: tx, ...NOTIFY }, { message_id: twins.id('message', 'Talk-Ada') }),
    runs: 2,
  },
];
