import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AuditRecord } from '@case-platform/modules/audit';
import { actionWords, entryWords } from './action-words.ts';
import { actorWords, layerWords, subjectLink } from './audit-words.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Every action that the modules write into the audit log, read from their source, whether written whole or put together. */
function listActions(): string[] {
  const actions: string[] = [];
  for (const folder of ['modules', 'scripts/operate', 'apps'])
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.includes('node_modules')) continue;
      const source = readFileSync(join(root, folder, file), 'utf8');
      for (const [, whole] of source.matchAll(/action: '([a-z_]+\.[a-z_]+)'/g)) actions.push(whole ?? '');
      // Those of a batch are named by their last part only.
      if (folder === 'modules' && file.startsWith('banking/'))
        for (const [, step] of source.matchAll(/action: '([a-z_]+)'/g)) actions.push(`banking_batch.${step}`);
      if (file.endsWith('disbursement-states.ts') && folder === 'modules')
        for (const [, command] of source.matchAll(/^ {2}(\w+): \{\n {4}guards: /gm)) actions.push(`disbursement.${command}`);
    }
  const cash = ['deposit', 'refund'].flatMap((kind) => [`case.${kind}`, `case.record_${kind}`, `case.refuse_${kind}`]);
  const decided = ['confirm', 'refuse'].flatMap((verb) => [`role.${verb}_permissions`, `user.${verb}_role`]);
  return [...new Set([...actions, ...cash, ...decided])].sort();
}

test('[AUDIT-4] every action in the audit log has words of its own', () => {
  const actions = listActions();
  for (const known of [
    'banking_batch.send_back',
    'banking_batch.settle',
    'disbursement.return',
    'disbursement.send',
    'case.add_person',
  ])
    assert.ok(actions.includes(known), known);
  for (const action of actions) assert.doesNotMatch(actionWords(action), /:/, action);
  assert.equal(actionWords('banking_batch.fold'), 'Fold: a batch', 'one of another version is readable');
  assert.equal(actionWords('case.close_at_last'), 'Close at last: a case');
});

test('[AUDIT-4] an entry names what it is about, and what the bank’s answer was', () => {
  const words = (action: string, subject_label: string, after: Record<string, unknown> | null = null) =>
    entryWords({ action, subject_label, after });
  assert.equal(
    words('banking_batch.confirm_outcome', 'Batch 2', { status: 'transmitted' }),
    'Confirmed that the bank has Batch 2',
  );
  assert.equal(
    words('banking_batch.confirm_outcome', 'Batch 2', { status: 'generated' }),
    'Confirmed that the bank doesn’t have Batch 2',
  );
  assert.equal(words('disbursement.approve', 'Travel, $550.00'), 'Approved the $550.00 Travel request');
  assert.equal(words('disbursement.approve', 'Bed, board, $1,550.00'), 'Approved the $1,550.00 Bed, board request');
  assert.equal(words('bank_account.set', 'Sam $& Doe'), 'Changed Sam $& Doe’s bank account');
  assert.equal(words('case.update', ''), 'Changed a case');
});

test('[AUDIT-4] an entry links to the page of its subject, unless that has none or was deleted', () => {
  const kinds = [
    ['agency', '/agencies/5'],
    ['bank_account', null],
    ['bank_return_file', '/batches/returns/5'],
    ['banking_batch', '/batches/5'],
    ['case', '/cases/5'],
    ['case_document', null],
    ['chain', '/messages/5'],
    ['delivery', null],
    ['disbursement', '/disbursements/5'],
    ['message', null],
    ['photo_id', '/users/5'],
    ['profile_picture', '/users/5'],
    ['role', '/roles/5'],
    ['suppression', null],
    ['user', '/users/5'],
  ] as const;
  const link = (subject_type: string, verb: string, more: { subject_id?: number | null; subject_label?: string } = {}) =>
    subjectLink({
      subject_type,
      action: `${subject_type}.${verb}`,
      subject_id: 5,
      subject_label: 'Its name',
      ...more,
    } as AuditRecord);
  for (const [kind, href] of kinds) {
    const linked = (words: string) => (href === null ? words : `<a class="link" href="${href}">${words}</a>`);
    assert.equal(String(link(kind, 'update')), linked('Its name'), kind);
    assert.equal(String(link(kind, 'update', { subject_label: '' })), linked('number 5'), kind);
    assert.equal(String(link(kind, 'delete')), 'Its name', kind);
    assert.equal(String(link(kind, 'update', { subject_id: null })), 'Its name', kind);
    assert.equal(link(kind, 'update', { subject_id: null, subject_label: '' }), null, kind);
  }
});

test('[AUDIT-1] an entry says who acted, or which part of the platform did, and through which layer', () => {
  const layers = ['admin', 'api', 'worker', 'system'] as const;
  const shown = layers.map((layer) => [layerWords(layer), actorWords({ layer, actor_name: null })]);
  assert.deepEqual(shown, [
    ['Staff application', 'Not signed in'],
    ['Web frontend and JSON API', 'Not signed in'],
    ['Background jobs', 'Automatic'],
    ['Platform', 'Automatic'],
  ]);
  for (const layer of layers) assert.equal(actorWords({ layer, actor_name: 'Ruth Adeyemi' }), 'Ruth Adeyemi');
});
