import { fullDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { type PdfLine, pagePdf } from './sample-files.ts';

/** Documents of the demo, one page each. */

const LETTERS = 88;

interface Agreement {
  number: number;
  parents: string;
  surrogate: string;
  /** YYYY-MM-DD */
  day: string;
  compensation_cents: number;
}

export function agreementPdf({ number, parents, surrogate, day, compensation_cents }: Agreement): Buffer {
  const sections = [
    `1. Parties. This agreement is between ${parents} (the parents) and ${surrogate} (the surrogate). Each has been advised by an attorney of their own.`,
    '2. Escrow. The parents pay into an escrow account before any obligation falls due. The escrow company pays from it only what this agreement provides, after an approval.',
    `3. Base compensation. ${moneyWords(compensation_cents)} a month in eight parts, from the confirmation of the heartbeat on.`,
    '4. Monthly allowance. For incidental costs, from the signing on until the birth.',
    '5. Medical. Co-pays, prescriptions and what insurance does not pay, up to $1,200.00.',
    '6. Travel. To appointments, with receipts, up to $1,500.00; mileage at 70 cents a mile.',
    '7. Childcare. On days of appointments, up to $400.00 a month.',
    '8. Maternity clothing. Second-trimester maternity clothing, up to $800.00.',
    '9. Lost wages. With a letter of the doctor, up to $1,500.00 a month.',
  ];
  const lines: PdfLine[] = [
    { words: 'SAMPLE', size: 10, down: 50, left: 500, isBold: true },
    { words: 'Gestational Surrogacy and Escrow Agreement', size: 18, down: 92, isBold: true },
    { words: `Case ${number}, ${fullDayWords(day)}`, size: 11, down: 114 },
  ];
  let down = 150;
  for (const section of sections) {
    for (const words of wrap(section)) {
      lines.push({ words, size: 11, down });
      down += 16;
    }
    down += 8;
  }
  for (const [at, words] of [parents, surrogate].entries())
    lines.push(
      { words: '_'.repeat(34), size: 11, down: down + 60, left: 72 + at * 250 },
      { words, size: 10, down: down + 76, left: 72 + at * 250 },
      { words: 'signed', size: 10, down: down + 52, left: 84 + at * 250 },
    );
  return pagePdf(lines);
}

interface Bill {
  from: string;
  to: string;
  what: string;
  cents: number;
  day: string;
}

export function billPdf({ from, to, what, cents, day }: Bill): Buffer {
  const row = (down: number, left: string, right: string, isBold = false): PdfLine[] => [
    { words: left, size: 12, down, isBold },
    { words: right, size: 12, down, left: 460, isBold },
  ];
  return pagePdf([
    { words: from, size: 20, down: 92, isBold: true },
    { words: '48 Linden Street, Suite 3', size: 10, down: 110 },
    { words: 'STATEMENT OF CHARGES', size: 10, down: 160, isBold: true },
    ...row(184, `Patient: ${to}`, fullDayWords(day)),
    { words: '_'.repeat(84), size: 10, down: 204 },
    ...row(230, what, moneyWords(cents)),
    ...row(252, 'Adjustment by insurance', moneyWords(0)),
    { words: '_'.repeat(84), size: 10, down: 264 },
    ...row(290, 'Paid by card', moneyWords(cents), true),
    { words: 'Sample: this practice does not exist.', size: 9, down: 330 },
  ]);
}

export function bookingPdf(guest: string, day: string): Buffer {
  return pagePdf([
    { words: 'Harbor Street Inn', size: 20, down: 92, isBold: true },
    { words: `Booking confirmed for ${guest}`, size: 13, down: 130 },
    { words: `Arrival: ${fullDayWords(day)}, two nights, one quiet room, breakfast`, size: 12, down: 156 },
    { words: 'Free cancellation until the day before.', size: 12, down: 178 },
    { words: 'Sample: this inn does not exist.', size: 9, down: 220 },
  ]);
}

function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length > LETTERS) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
