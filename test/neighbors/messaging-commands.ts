import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import {
  addNote,
  emailMessage,
  leaveChainsOfCase,
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
    expected: [['message_recipient Talk-Ada Ann Talk: viewed', 'message_recipient Talk-Ben Ann Talk: viewed'], []],
  },
  {
    name: 'reading a conversation up to a message, then the rest',
    work: (tx, twins, round) =>
      markViewed(tx, twins.people.ann, talk(twins), twins.id('message', round === 0 ? 'Talk-Ben' : 'Talk-Ada')),
    expected: [['message_recipient Talk-Ben Ann Talk: viewed'], ['message_recipient Talk-Ada Ann Talk: viewed']],
  },
  {
    name: 'reading a conversation as staff',
    work: (tx, twins) => markViewed(tx, twins.people.ada, talk(twins)),
    expected: [['message Talk-Ann: admin_viewed', 'message Talk-Ben: admin_viewed'], []],
  },
  {
    name: 'marking a conversation unread',
    prepare: (tx) => tx.query({ text: 'update message_recipient set viewed = now()', values: [] }),
    work: (tx, twins) => markUnread(tx, twins.people.ann, talk(twins)),
    expected: [['message_recipient Talk-Ada Ann Talk: viewed'], []],
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
    expected: [['message_recipient Talk-Ben Ann Talk: viewed']],
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
    expected: [['message Talk-Ann: admin_viewed']],
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
    expected: [
      [
        '+ audit_entry One worker chain.assign',
        '+ audit_entry One worker chain.assign',
        '+ audit_entry Two worker chain.assign',
        'message_chain Aside: assigned_admin_id = Bob',
        'message_chain Elsewhere: assigned_admin_id = Eve',
        'message_chain Talk: assigned_admin_id = Bob',
      ],
    ],
  },
  {
    name: 'mailing about a message, and within ten minutes about the next one',
    prepare: (tx) => tx.query({ text: 'delete from notification_preference', values: [] }),
    work: async (tx, twins, round) => {
      const context = { db: tx, ...NOTIFY };
      if (round === 0) return emailMessage(context, { message_id: twins.id('message', 'Talk-Ada') });
      const { message_id } = await replyToChain(contextOf(tx), twins.people.ada, talk(twins), {
        message: 'So',
        files: [],
      });
      return emailMessage(context, { message_id });
    },
    expected: [
      [
        '+ delivery Ann email new_message',
        '+ delivery Ben email new_message',
        '+ job deliver_email',
        '+ job deliver_email',
        'message_mail Talk Ann: mailed_at, up_to_message_id',
        'message_mail Talk Ben: mailed_at, up_to_message_id',
      ],
      [
        '+ job email_gathered',
        '+ job email_gathered',
        '+ job email_message',
        '+ job push_message',
        '+ message Talk Ada',
        '+ message_recipient Ann Talk',
        '+ message_recipient Ben Talk',
        'message Talk-Ann: admin_viewed',
        'message Talk-Ben: admin_viewed',
        'message_chain Talk: last_message_at, last_message_id',
        'message_chain_group Talk Ann: last_message_id',
        'message_chain_group Talk Ben: last_message_id',
      ],
    ],
  },
  {
    name: 'marking a conversation unread as staff',
    prepare: (tx) => tx.query({ text: 'update message set admin_viewed = now() where to_admin', values: [] }),
    work: (tx, twins) => markUnread(tx, twins.people.ada, talk(twins)),
    expected: [['message Talk-Ben: admin_viewed']],
  },
  {
    name: 'answering in a closed conversation',
    prepare: (tx) => tx.query({ text: `update message_chain set status = 'closed'`, values: [] }),
    work: (tx, twins) => replyToChain(contextOf(tx), twins.people.ann, talk(twins), { message: 'Yes', files: [] }),
    expected: [
      [
        '+ job email_message',
        '+ job push_message',
        '+ message Talk Ann',
        '+ message_recipient Ben Talk',
        'message_chain Talk: last_message_at, last_message_id, status',
        'message_chain_group Talk Ann: last_message_id',
        'message_chain_group Talk Ben: last_message_id',
        'message_recipient Talk-Ada Ann Talk: viewed',
        'message_recipient Talk-Ben Ann Talk: viewed',
      ],
      [
        '+ job email_message',
        '+ job push_message',
        '+ message Talk Ann',
        '+ message_recipient Ben Talk',
        'message_chain Talk: last_message_id',
        'message_chain_group Talk Ann: last_message_id',
        'message_chain_group Talk Ben: last_message_id',
      ],
    ],
  },
  {
    name: 'answering after a message with a later number was written',
    prepare: async (tx) => {
      for (const table of ['message_chain', 'message_chain_group'])
        await tx.query({ text: `update ${table} set last_message_id = 999999999`, values: [] });
    },
    work: (tx, twins) => replyToChain(contextOf(tx), twins.people.ann, talk(twins), { message: 'Yes', files: [] }),
    expected: [
      [
        '+ job email_message',
        '+ job push_message',
        '+ message Talk Ann',
        '+ message_recipient Ben Talk',
        'message_chain Talk: last_message_at',
        'message_recipient Talk-Ada Ann Talk: viewed',
        'message_recipient Talk-Ben Ann Talk: viewed',
      ],
    ],
  },
  {
    name: 'answering as staff',
    work: (tx, twins) => replyToChain(contextOf(tx), twins.people.ada, talk(twins), { message: 'Yes', files: [] }),
    expected: [
      [
        '+ job email_message',
        '+ job push_message',
        '+ message Talk Ada',
        '+ message_recipient Ann Talk',
        '+ message_recipient Ben Talk',
        'message Talk-Ann: admin_viewed',
        'message Talk-Ben: admin_viewed',
        'message_chain Talk: last_message_at, last_message_id',
        'message_chain_group Talk Ann: last_message_id',
        'message_chain_group Talk Ben: last_message_id',
      ],
    ],
  },
  {
    name: 'answering twice under one key',
    work: (tx, twins) =>
      replyToChain(contextOf(tx), twins.people.ann, talk(twins), { message: 'Yes', files: [], idempotencyKey: 'new' }),
    expected: [
      [
        '+ idempotency_key Ann new',
        '+ job email_message',
        '+ job push_message',
        '+ message Talk Ann',
        '+ message_recipient Ben Talk',
        'message_chain Talk: last_message_at, last_message_id',
        'message_chain_group Talk Ann: last_message_id',
        'message_chain_group Talk Ben: last_message_id',
        'message_recipient Talk-Ada Ann Talk: viewed',
        'message_recipient Talk-Ben Ann Talk: viewed',
      ],
      [],
    ],
  },
  {
    name: 'taking a message back',
    work: (tx, twins) =>
      retractMessage(
        tx,
        { chain_id: talk(twins), message_id: twins.id('message', 'Talk-Ann') },
        { actor: twins.people.ann, origin: SYSTEM },
      ),
    expected: [
      [
        '+ audit_entry Ann One system message.retract',
        '+ job delete_objects',
        '- message_file Talk-Ann',
        'message Talk-Ann: admin_viewed, message, retracted_at',
        'message_recipient Talk-Ann Ben Talk: viewed',
      ],
      [],
    ],
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
    expected: [
      [
        '+ audit_entry Ann One system message.retract',
        '+ job delete_objects',
        '- message_file Talk-Ann',
        'message Talk-Ann: message, retracted_at',
      ],
    ],
  },
  {
    name: 'closing a conversation',
    work: (tx, twins) => updateChain(tx, talk(twins), { status: 'closed' }, { actor: twins.people.ada, origin: SYSTEM }),
    expected: [['+ audit_entry Ada One system chain.close', 'message_chain Talk: status'], []],
  },
  {
    name: 'taking someone out of a conversation',
    work: (tx, twins) =>
      removeFromChain(tx, { chain_id: talk(twins), user_id: twins.people.ann.id }, { actor: twins.people.ada, origin: SYSTEM }),
    expected: [
      ['+ audit_entry Ada One system chain.remove_member', 'message_chain_group Talk Ann: left_at'],
      ['refused: not_found'],
    ],
  },
  {
    name: 'leaving the conversations of a case',
    work: (tx, twins) => leaveChainsOfCase(tx, twins.id('case_file', 'One'), twins.people.ann.id),
    expected: [['message_chain_group Aside Ann: left_at', 'message_chain_group Talk Ann: left_at'], []],
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
    expected: [['message_chain_group Aside Ann: left_at'], []],
  },
  {
    name: 'taking someone off a case',
    work: (tx, twins) =>
      removeFromCase(tx, twins.id('case_file', 'One'), twins.people.ann.id, {
        actor: twins.people.eve,
        origin: SYSTEM,
      }),
    expected: [
      [
        '+ audit_entry Eve One system case.remove_person',
        'case_participant One Ann 1: left_at',
        'message_chain_group Aside Ann: left_at',
        'message_chain_group Talk Ann: left_at',
      ],
      ['refused: not_found'],
    ],
  },
  {
    name: 'adding a note, twice under one key',
    work: (tx, twins) => addNote(tx, twins.people.ada, talk(twins), { note: 'Call back', idempotencyKey: 'new' }),
    expected: [['+ chain_note Talk Ada', '+ idempotency_key Ada new'], []],
  },
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
    expected: [
      [
        '+ audit_entry One worker chain.assign',
        '+ audit_entry One worker chain.assign',
        'message_chain Aside: assigned_admin_id = null',
        'message_chain Talk: assigned_admin_id = null',
      ],
      [],
    ],
  },
  {
    name: 'mailing about a message, once',
    prepare: (tx) => tx.query({ text: 'delete from notification_preference', values: [] }),
    work: (tx, twins) => emailMessage({ db: tx, ...NOTIFY }, { message_id: twins.id('message', 'Talk-Ada') }),
    expected: [
      [
        '+ delivery Ann email new_message',
        '+ delivery Ben email new_message',
        '+ job deliver_email',
        '+ job deliver_email',
        'message_mail Talk Ann: mailed_at, up_to_message_id',
        'message_mail Talk Ben: mailed_at, up_to_message_id',
      ],
      [],
    ],
  },
];
