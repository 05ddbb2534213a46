/** A return or notification of change of one of our entries. */
export interface Returned {
  code: string;
  trace: string;
  cents: number;
  corrected?: string;
}

/** Creates a return file like a bank does. */
export function returnFile(entries: Returned[]): string {
  const lines = [
    `101 112345678 0910000192611300805A094101${'Case Platform'.padEnd(23)}${'First Example Bank'.padEnd(23)}`.padEnd(94),
  ];
  lines.push(`5200${'Case Platform'.padEnd(36)}1123456789PPD${'PAYMENT'.padEnd(10)}2611302611303341021000020000001`);
  let [cents, hash, own] = [0, 0, 1];
  for (const entry of entries) {
    const trace = `02100002${String(own).padStart(7, '0')}`;
    lines.push(
      `621091000019${'123456789'.padEnd(17)}${String(entry.cents).padStart(10, '0')}${'DR'.padEnd(15)}${'Sam'.padEnd(22)}  1${trace}`,
    );
    const kind = entry.code.startsWith('C') ? '798' : '799';
    lines.push(`${kind}${entry.code}${entry.trace}      02100002${(entry.corrected ?? '').padEnd(44)}${trace}`);
    cents += entry.cents;
    hash += 9_100_001;
    own += 1;
  }
  const sums = `${String(hash).padStart(10, '0')}${'0'.repeat(12)}${String(cents).padStart(12, '0')}`;
  lines.push(`8200${String(entries.length * 2).padStart(6, '0')}${sums}1123456789${' '.repeat(25)}021000020000001`);
  const blocks = Math.ceil((lines.length + 1) / 10);
  lines.push(`9000001${String(blocks).padStart(6, '0')}${String(entries.length * 2).padStart(8, '0')}${sums}`.padEnd(94));
  while (lines.length % 10 !== 0) lines.push('9'.repeat(94));
  return `${lines.join('\r\n')}\r\n`;
}
