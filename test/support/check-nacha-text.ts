import assert from 'node:assert/strict';

export interface CheckedFile {
  entries: { code: string; routing: string; account: string; cents: number; name: string; trace: string }[];
  debit: number;
  credit: number;
}

/** Recomputes every control of a file from its text and positions. It shares no code with the writer. */
export function checkNachaText(text: string): CheckedFile {
  assert.ok(text.endsWith('\n'));
  const lines = text.slice(0, -1).split('\n');
  for (const line of lines) assert.match(line, /^[ -~]{94}$/);
  assert.equal(lines.length % 10, 0, 'blocks of ten');
  const end = lines.findIndex((line, index) => line.startsWith('9') && index > 0);
  assert.ok(
    lines.slice(end + 1).every((line) => line === '9'.repeat(94)),
    'filled with nines',
  );
  assert.match(lines[0] ?? '', /^101 \d{9}[ -~]{10}\d{10}[A-Z0-9]094101/);
  const entries: CheckedFile['entries'] = [];
  let [debit, credit, count, hash, batches] = [0, 0, 0, 0n, 0];
  let batch = { debit: 0, credit: 0, count: 0, hash: 0n, header: '', last: '' };
  for (const line of lines.slice(1, end)) {
    if (line[0] === '5') batch = { debit: 0, credit: 0, count: 0, hash: 0n, header: line, last: '' };
    if (line[0] === '7') {
      batch.count += 1;
      assert.equal(line.slice(87), batch.last.slice(8), 'the addenda names its entry');
    }
    if (line[0] === '6') {
      const cents = Number(line.slice(29, 39));
      const [a, b, c, d, e, f, g, h, check] = [...line.slice(3, 12)].map(Number) as [number, ...number[]];
      const sum = 3 * (a + (d ?? 0) + (g ?? 0)) + 7 * ((b ?? 0) + (e ?? 0) + (h ?? 0)) + (c ?? 0) + (f ?? 0);
      assert.equal((10 - (sum % 10)) % 10, check, 'check digit');
      const trace = line.slice(79);
      assert.equal(trace.slice(0, 8), batch.header.slice(79, 87), 'the trace begins with the ODFI');
      assert.ok(trace > batch.last, 'traces ascend');
      batch.last = trace;
      batch.count += 1;
      batch.hash += BigInt(line.slice(3, 11));
      if (/^6[23][2]/.test(line)) batch.credit += cents;
      else batch.debit += cents;
      entries.push({
        code: line.slice(1, 3),
        routing: line.slice(3, 12),
        account: line.slice(12, 29).trimEnd(),
        cents,
        name: line.slice(54, 76).trimEnd(),
        trace,
      });
    }
    if (line[0] === '8') {
      batches += 1;
      assert.equal(line.slice(1, 4), batch.header.slice(1, 4), 'service class');
      assert.equal(line.slice(4, 10), String(batch.count).padStart(6, '0'));
      assert.equal(line.slice(10, 20), String(batch.hash % 10n ** 10n).padStart(10, '0'));
      assert.equal(line.slice(20, 32), String(batch.debit).padStart(12, '0'));
      assert.equal(line.slice(32, 44), String(batch.credit).padStart(12, '0'));
      assert.equal(line.slice(44, 54), batch.header.slice(40, 50), 'company id');
      assert.equal(line.slice(79), batch.header.slice(79), 'ODFI and batch number');
      assert.equal(Number(line.slice(87)), batches, 'batches are counted from 1');
      debit += batch.debit;
      credit += batch.credit;
      count += batch.count;
      hash += batch.hash;
    }
  }
  const control = lines[end] ?? '';
  assert.equal(control.slice(1, 7), String(batches).padStart(6, '0'));
  assert.equal(control.slice(7, 13), String(lines.length / 10).padStart(6, '0'));
  assert.equal(control.slice(13, 21), String(count).padStart(8, '0'));
  assert.equal(control.slice(21, 31), String(hash % 10n ** 10n).padStart(10, '0'));
  assert.equal(control.slice(31, 43), String(debit).padStart(12, '0'));
  assert.equal(control.slice(43, 55), String(credit).padStart(12, '0'));
  assert.equal(control.slice(55), ' '.repeat(39));
  return { entries, debit, credit };
}
