import { availableParallelism, cpus } from 'node:os';
import type { Comparison, Figures } from './compare.ts';

const HEADINGS = ['', 'a second', 'p50 ms', 'p99 ms', 'CPU µs', 'share of the floor', 'by CPU', ''];

/** Prints one line for the platform and one for the floor of each operation. */
export function printReport(comparisons: Comparison[]): void {
  console.log(`\nNode.js ${process.version}, ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores\n`);
  const rows = [HEADINGS, ...comparisons.flatMap(toRows)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const [label = '', ...cells] = row.map((cell, at) =>
      at === 0 || at === HEADINGS.length - 1 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    console.log([label, ...cells].join('  ').trimEnd());
  }
  console.log('\nThe machine also runs the load and the database: compare shares, not figures of other machines or hours.');
  console.log('Floor: bare Fastify and pg with the same token check, statements, and JSON; bare argon2id; bare web-push.');
}

function toRows({ label, api, floor, ratio, cpu_ratio, target }: Comparison): string[][] {
  const verdict = target === null ? '' : `target ${ratio >= target ? 'met' : 'missed'} (${target.toFixed(2)})`;
  return [
    [label, ...toCells(api), ratio.toFixed(2), cpu_ratio.toFixed(2), verdict],
    ['  floor', ...toCells(floor), '', '', ''],
  ];
}

function toCells({ requests_per_second, p50_ms, p99_ms, cpu_us }: Figures): string[] {
  return [requests_per_second.toFixed(0), p50_ms.toFixed(2), p99_ms.toFixed(2), cpu_us.toFixed(0)];
}

/** Prints figures as a table, one line for each row. */
export function printTable(rows: readonly object[], title: string): void {
  console.log(`\nNode.js ${process.version}, ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${title}\n`);
  const rounded = (value: unknown) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value);
  console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, rounded(value)]))));
}
