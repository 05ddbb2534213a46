import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../scripts/checkout/checkout.mjs';
import { listCode } from '../scripts/test/import-graph.mjs';

/** A table has one owning module. Others may join it but never write it (docs/architecture.md, "Who may import whom"). */

const files = listCode().filter((file) => !/\.test\.ts$|^test\//.test(file));

describe('tables', () => {
  /** The module that writes each table. All others may only read it. */
  const OWNERS: Record<string, string> = {
    ...owned('accounts', [
      'user_account',
      'agency',
      'agency_api_key',
      'admin_session',
      'ended_web_session',
      'tfa_challenge',
      'backup_code',
      'password_reset',
      'address_change',
      'throttle',
      'sign_in',
      'last_sign_in',
      'agency_event',
    ]),
    ...owned('accounts', ['admin_permission', 'admin_role', 'admin_role_permission', 'role_grant', 'permission_catalogue']),
    ...owned('storage', ['pending_upload', 'stored_picture', 'picture_rendition', 'user_file']),
    ...owned('notifications', ['push_subscription', 'delivery', 'delivery_key', 'notification_preference', 'suppression']),
    ...owned('notifications', ['provider_report', 'suppression_lift', 'unsubscribe_key']),
    ...owned('cases', ['case_file', 'case_participant', 'case_admin', 'case_milestone', 'case_document', 'scheduled_payment']),
    ...owned('disbursements', ['disbursement_request', 'disbursement_file', 'case_benefit', 'payment_stop']),
    ...owned('ledger', ['ledger_transaction', 'ledger_posting', 'ledger_balance', 'cash_entry']),
    ...owned('messaging', [
      'message_chain',
      'message_chain_group',
      'message',
      'message_recipient',
      'message_mail',
      'message_file',
      'chain_note',
      'database_copy',
    ]),
    ...owned('banking', [
      'funds_short_notice',
      'payee_bank_account',
      'bank_profile',
      'banking_batch',
      'banking_batch_entry',
      'banking_batch_step',
      'batch_signature',
      'bank_return_file',
      'bank_return_entry',
      'proof_of_funds',
    ]),
    idempotency_key: 'lib',
    call_count: 'lib',
    outbox: 'lib',
    database_run: 'lib',
    outbox_publisher: 'lib',
    worker_heartbeat: 'lib',
    audit_entry: 'lib',
  };

  test('every table has one owner', () => {
    const tables = [...read('db/schema.sql').matchAll(/^-- (\w+)$/gm)].map(([, name = '']) => name);
    assert.deepEqual(tables.sort(), Object.keys(OWNERS).sort());
  });

  test('only its owner writes a table', () => {
    const violations: string[] = [];
    for (const file of files.filter((path) => !/^(scripts|bench|chaos|db)\//.test(path))) {
      for (const [, table = ''] of read(file).matchAll(/(?:insert into|update|delete from) (\w+)/g)) {
        const owner = OWNERS[table];
        if (owner !== undefined && !file.startsWith(owner === 'lib' ? 'lib/' : `modules/${owner}/`))
          violations.push(`${file} writes ${table}`);
      }
    }
    assert.deepEqual(violations, []);
  });

  test('permissions are queried in one place', () => {
    const naming = files.filter(
      (file) =>
        /^(apps|modules|lib)\//.test(file) &&
        !file.startsWith('modules/accounts/roles/') &&
        /\badmin_(role_)?permission\b/.test(read(file)),
    );
    assert.deepEqual(naming, []);
  });

  test('statements are run in one place', () => {
    const others = files.filter(
      (file) =>
        /^(apps|modules|lib)\//.test(file) &&
        !/^(apps\/web|lib\/database)\b/.test(file) &&
        /\.query(<[^(]*>)?\(/.test(read(file)),
    );
    assert.deepEqual(others, ['lib/sql.ts']);
  });

  test('the audit log is for people to read, and no rule of the platform queries it', () => {
    const reading = files.filter(
      (file) => !/^(scripts|bench|chaos|db)\//.test(file) && /(from|join) audit_entry/.test(read(file)),
    );
    assert.deepEqual(reading, [
      'modules/audit/list-audit.ts',
      // The timelines of a request and of a case are for people.
      'modules/disbursements/list-timelines.ts',
      'modules/overview/case-timeline.ts',
    ]);
  });

  function owned(module: string, tables: string[]): Record<string, string> {
    return Object.fromEntries(tables.map((table) => [table, module]));
  }
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
