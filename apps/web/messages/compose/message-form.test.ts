import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageForm } from './message-form.ts';

test('[FILE-5] the form has the text first and the files last', () => {
  const files = [new File(['x'], 'a.pdf'), new File(['y'], 'b.pdf')];
  const recipients = [{ user_type: 'surrogate' as const, user_id: 3, name: 'never sent' }];
  const form = messageForm({ text: ' Hello ', files, subject: ' Travel ', caseId: 1, recipients });
  assert.deepEqual([...form.keys()], ['message', 'subject', 'case_id', 'recipients', 'files', 'files']);
  assert.equal(form.get('message'), 'Hello');
  assert.equal(form.get('recipients'), '[{"user_type":"surrogate","user_id":3}]');
});

test('empty fields are not sent: without recipients the message goes to the escrow specialist', () => {
  const form = messageForm({ text: 'Hello', files: [], subject: ' ', caseId: null, recipients: [] });
  assert.deepEqual([...form.keys()], ['message']);
});
