import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadConfig } from '@case-platform/lib/config';
import { RETENTION } from '@case-platform/lib/config/read-retention';
import { OLD_ROWS } from '../apps/worker/remove-old-rows.ts';
import { SETTINGS } from '../lib/config/settings-of-processes.mjs';
import { ROOT } from '../scripts/checkout/checkout.mjs';

/** Tables whose rows are not removed by age, with the reason or with the code that removes them. */
const KEPT: Record<string, string> = {
  ...because('the money and who decided about it: kept as the law asks', [
    'ledger_transaction',
    'ledger_posting',
    'ledger_balance',
    'cash_entry',
    'disbursement_request',
    'disbursement_file',
    'case_benefit',
    'scheduled_payment',
    'banking_batch',
    'banking_batch_entry',
    'banking_batch_step',
    'batch_signature',
    'bank_return_file',
    'bank_return_entry',
    'payee_bank_account',
  ]),
  ...because('who did what: kept, append-only', ['audit_entry', 'role_grant']),
  ...because('the case and what was said in it: kept with the case', [
    'case_file',
    'case_participant',
    'case_admin',
    'case_milestone',
    'case_document',
    'message_chain',
    'message_chain_group',
    'message',
    'message_recipient',
    'message_file',
    'message_mail',
    'chain_note',
  ]),
  ...because('one row a case and month, so that no one is notified twice', ['funds_short_notice']),
  ...because('as many as there are people, devices and choices', [
    'user_account',
    'user_file',
    'last_sign_in',
    'notification_preference',
    'unsubscribe_key',
    'backup_code',
    'push_subscription',
    'suppression',
    'agency',
    'agency_api_key',
    'bank_profile',
  ]),
  ...because('as many as there are roles and permissions', [
    'admin_permission',
    'admin_role',
    'admin_role_permission',
    'permission_catalogue',
  ]),
  ...because('what people did about money, and can be asked about', ['payment_stop', 'proof_of_funds']),
  ...because('one row for the database', ['database_copy', 'database_run', 'outbox_publisher']),
  ...because('removed as soon as it is published', ['outbox']),
  ...because('removed with the file', ['stored_picture', 'picture_rendition']),
  ...because('removed by the sweep of uploads after a day', ['pending_upload']),
  ...because('removed by the code that counts, minutes later', ['call_count']),
  ...because('removed by its worker, or by the next one that starts', ['worker_heartbeat']),
};

describe('[RETAIN-1] what is kept, and for how long', () => {
  test('each table is kept on purpose, or its old rows are removed', () => {
    const tables = [...read('db/schema.sql').matchAll(/^-- (\w+)$/gm)].map(([, name = '']) => name);
    const named = [...Object.keys(KEPT), ...OLD_ROWS.map(({ table }) => table)];
    assert.deepEqual(named.sort(), tables.sort());
  });

  test('each time is a setting of the worker, and each is used', () => {
    for (const { setting } of Object.values(RETENTION)) assert.ok(SETTINGS.worker.includes(setting), setting);
    const names = new Set(OLD_ROWS.map(({ retention: name }) => name));
    assert.deepEqual([...names].sort(), Object.keys(RETENTION).sort());
  });

  test('a time that is too short for a rule, or longer than anyone would mean, stops the start', () => {
    for (const [name, { setting, least, most }] of Object.entries(RETENTION)) {
      const read = (days: number) => loadConfig('worker', { NODE_ENV: 'test', [setting]: String(days) }).retention;
      assert.deepEqual(
        [least, most].map((days) => read(days)[name as keyof typeof RETENTION]),
        [least, most],
      );
      for (const days of [least - 1, most + 1])
        assert.throws(() => read(days), { problems: [`${setting} must be a whole number from ${least} to ${most}.`] });
    }
  });
});

function because(reason: string, tables: string[]): Record<string, string> {
  return Object.fromEntries(tables.map((table) => [table, reason]));
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
