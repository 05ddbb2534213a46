import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { checkNachaText } from '../../../test/support/check-nacha-text.ts';

const MIB = 1024 * 1024;
const COUNT = 10_000;

/**
 * The writing runs in a process of its own, so that other tests do not count. It measures processor time, which other processes
 * do not lengthen, and how far resident memory grows at its peak, including garbage that was not yet collected.
 */
const WRITING = `
  import { writeNachaFile } from './write-nacha-file.ts';
  const payments = Array.from({ length: ${COUNT} }, (_, at) => ({
    id: at + 1,
    name: 'Zoë Ångström ' + at,
    routing_number: '021000021',
    account_number: '10000' + at,
    account_kind: 'checking',
    holder_kind: at % 3 === 0 ? 'company' : 'person',
    is_compensation: at % 2 === 0,
    amount_cents: 12_345,
    reference: 'DR ' + (at + 1),
    note: 'Payment for request ' + (at + 1),
  }));
  const bank = {
    routing_number: '091000019',
    bank_name: 'First Example Bank',
    immediate_origin: '1123456789',
    company_name: 'Case Platform',
    company_id: '1123456789',
    entry_description: 'PAYMENT',
    offset: { routing_number: '091000019', account_number: '5550001112', account_kind: 'checking' },
  };
  const before = process.memoryUsage.rss();
  const started = process.cpuUsage();
  const file = writeNachaFile({
    bank,
    payments,
    created_at: new Date('2026-11-23T16:05:00Z'),
    effective_date: '2026-11-24',
    same_day: false,
    file_id_modifier: 'A',
    first_trace_sequence: 1,
  });
  const { user, system } = process.cpuUsage(started);
  // Not maxRSS: on Linux it begins with the memory of the process that started this one.
  const growth = process.memoryUsage.rss() - before;
  const written = { text: file.text, traces: [...file.traces.values()] };
  process.stdout.write(JSON.stringify({ seconds: (user + system) / 1e6, growth, ...written }));`;

test('[NACHA-1] 10,000 entries with addenda take less than one second and 100 MiB', async () => {
  const own = { cwd: import.meta.dirname, maxBuffer: 16 * MIB };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', WRITING], own);
  const { seconds, growth, text, traces } = JSON.parse(stdout);
  assert.ok(seconds < 1, `${seconds} s of processor time`);
  assert.ok(growth < 100 * MIB, `${Math.round(growth / MIB)} MiB`);
  const { entries, debit, credit } = checkNachaText(text);
  assert.deepEqual([entries.length, debit, credit], [COUNT + 4, COUNT * 12_345, COUNT * 12_345]);
  assert.equal(new Set(traces).size, COUNT);
});
