import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UserType } from '@case-platform/words/user-types';
import { type ChainMember, routeMessage } from './route-message.ts';

const person = (user_id: number, user_type: UserType): ChainMember => ({ user_id, user_type });
const ADMIN = { id: 1, user_type: 'admin' } as const;
const SURROGATE = { id: 2, user_type: 'surrogate' } as const;
const surrogate = person(2, 'surrogate');
const parent = person(3, 'ip');
const manager = person(4, 'cm');

const ROUTES: {
  title: string;
  sender: { id: number; user_type: UserType };
  isGroup: boolean;
  members: ChainMember[];
  to: ChainMember | null;
  toAdmin: boolean;
  recipients: number[];
}[] = [
  {
    title: 'a message from one person to another is addressed to them and reaches the inbox of staff',
    sender: SURROGATE,
    isGroup: false,
    members: [surrogate, parent],
    to: parent,
    toAdmin: true,
    recipients: [3],
  },
  {
    title: 'a message from a person to staff has no recipient but the inbox',
    sender: SURROGATE,
    isGroup: false,
    members: [surrogate],
    to: null,
    toAdmin: true,
    recipients: [],
  },
  {
    title: 'a message from a person to a group reaches every other member and the inbox',
    sender: SURROGATE,
    isGroup: true,
    members: [surrogate, parent, manager],
    to: null,
    toAdmin: true,
    recipients: [3, 4],
  },
  {
    title: 'a message to a group of two is not addressed to one person',
    sender: SURROGATE,
    isGroup: true,
    members: [surrogate, parent],
    to: null,
    toAdmin: true,
    recipients: [3],
  },
  {
    title: 'a message from staff to one person is addressed to them and stays out of the inbox',
    sender: ADMIN,
    isGroup: false,
    members: [surrogate],
    to: surrogate,
    toAdmin: false,
    recipients: [2],
  },
  {
    title: 'a message from staff in the conversation of two people reaches both',
    sender: ADMIN,
    isGroup: false,
    members: [surrogate, parent],
    to: null,
    toAdmin: false,
    recipients: [2, 3],
  },
  {
    title: 'a message from staff to a group reaches every member',
    sender: ADMIN,
    isGroup: true,
    members: [surrogate, parent, manager],
    to: null,
    toAdmin: false,
    recipients: [2, 3, 4],
  },
  {
    title: 'a message from staff after everyone has left reaches no one',
    sender: ADMIN,
    isGroup: true,
    members: [],
    to: null,
    toAdmin: false,
    recipients: [],
  },
];

describe('[MESSAGE-1] [MESSAGE-2] where a message goes', () => {
  for (const { title, sender, isGroup, members, to, toAdmin, recipients } of ROUTES) {
    test(title, () => {
      const route = routeMessage(sender, { is_group: isGroup, members });
      assert.deepEqual(
        { to_id: route.to_id, to_type: route.to_type, to_admin: route.to_admin },
        { to_id: to?.user_id ?? null, to_type: to?.user_type ?? null, to_admin: toAdmin },
      );
      assert.deepEqual(
        route.recipients.map(({ user_id }) => user_id),
        recipients,
      );
    });
  }
});
