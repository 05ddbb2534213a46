import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invitationOf, passwordWords } from './invitation-words.ts';

test('[INVITE-1] a link says whether it is an invitation, and for whom', () => {
  assert.equal(invitationOf(undefined), null);
  assert.equal(invitationOf('1'), 'member');
  assert.equal(invitationOf(['1', 'staff']), 'member');
  assert.equal(invitationOf('staff'), 'staff');
});

test('[INVITE-1, PASSWORD-5] an invited person is welcomed; someone who forgot their password reads about 30 minutes', () => {
  assert.match(passwordWords('member').title, /Welcome/);
  assert.match(passwordWords('staff').ended, /7 days/);
  assert.match(passwordWords(null).ended, /30 minutes/);
});
