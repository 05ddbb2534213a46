import { availableParallelism, cpus } from 'node:os';
import type { Figures } from './measure.ts';

const HEADINGS = ['', 'a second', 'p50 ms', 'p99 ms', 'CPU µs'];

/** Prints a line for each operation. */
export function printReport(measured: Figures[]): void {
  console.log(`\nNode.js ${process.version}, ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores\n`);
  const rows = [HEADINGS, ...measured.map(toCells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const [label = '', ...cells] = row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    console.log([label, ...cells].join('  '));
  }
  console.log('\nThe machine also runs the load and the database: compare runs on the same machine, one after the other.');
}

function toCells({ label, requests_per_second, p50_ms, p99_ms, cpu_us }: Figures): string[] {
  return [label, requests_per_second.toFixed(0), p50_ms.toFixed(2), p99_ms.toFixed(2), cpu_us.toFixed(0)];
}
