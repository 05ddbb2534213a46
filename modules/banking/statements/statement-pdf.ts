import { invalid } from '@case-platform/lib/errors';
import { MARGIN, Pdf, QUIET_INK } from '@case-platform/lib/pdf/open-pdf';
import type { Paper } from '@case-platform/lib/pdf/paper';
import { tableDayWords } from '@case-platform/words/day-words';
import { STATEMENT_PDF_MAX } from '@case-platform/words/limits';
import { moneyWords, PDF_IS_TOO_LONG, signedMoneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import type { CaseStatement } from './case-statement.ts';
import type { OwnPayments } from './own-payments.ts';
import type { Period } from './period.ts';

interface Printing {
  paper: Paper;
  now: Date;
}

const periodWords = ({ from, to }: Period) => `${tableDayWords(from)} to ${tableDayWords(to)}`;

/** A case's statement, for printing (STATEMENT-4). */
export function caseStatementPdf(statement: CaseStatement, printing: Printing): Promise<Buffer> {
  const { case_id, case_name, data, opening_balance_cents, closing_balance_cents } = statement;
  const sum = (sign: 1 | -1) =>
    data.reduce((cents, { amount_cents }) => (Math.sign(amount_cents) === sign ? cents + amount_cents : cents), 0);
  return printTable(
    {
      title: `Statement of case ${case_id}`,
      heading: case_name,
      period: statement,
      figures: [
        ['Opening balance', moneyWords(opening_balance_cents)],
        ['Money in', signedMoneyWords(sum(1))],
        ['Money out', signedMoneyWords(sum(-1))],
        ['Closing balance', moneyWords(closing_balance_cents)],
      ],
      columns: ['Date', 'Description', 'Amount', 'Balance'],
      rows: data.map(({ date, description, amount_cents, balance_cents }) => [
        tableDayWords(date),
        description,
        signedMoneyWords(amount_cents),
        moneyWords(balance_cents),
      ]),
      empty: 'No money moved in this period.',
    },
    printing,
  );
}

/** The payments to a person, for printing. */
export function ownPaymentsPdf(payments: OwnPayments, printing: Printing): Promise<Buffer> {
  return printTable(
    {
      title: 'Payments to you',
      heading: 'Payments to you',
      period: payments,
      figures: [['Paid to you', moneyWords(payments.total_cents)]],
      columns: ['Date', 'What for', 'State', 'Amount'],
      rows: payments.data.map(({ date, case_id, category, description, state, amount_cents }) => [
        tableDayWords(date),
        `${sentence(category)}: ${description} (case ${case_id})`,
        state === 'paid' ? 'Paid' : 'Returned',
        moneyWords(amount_cents),
      ]),
      empty: 'Nothing was paid to you in this period.',
    },
    printing,
  );
}

interface Sheet {
  title: string;
  heading: string;
  period: Period;
  figures: [words: string, amount: string][];
  columns: [string, string, string, string];
  rows: string[][];
  /** The text shown when there are no rows. */
  empty: string;
}

const [DAY, FIGURE, GAP] = [76, 92, 10];
const ROW_LINES = 2;

/** @throws {InvalidInputError} for more rows than a PDF may have, because each takes about a millisecond. */
async function printTable(sheet: Sheet, { paper, now }: Printing): Promise<Buffer> {
  if (sheet.rows.length > STATEMENT_PDF_MAX) throw invalid('from', PDF_IS_TOO_LONG);
  const pdf = await Pdf.open({ paper, title: `${sheet.title}, ${periodWords(sheet.period)}`, now });
  let y = tableHead(pdf, sheet.columns, header(pdf, sheet));
  if (sheet.rows.length === 0) pdf.text(sheet.empty, { x: MARGIN, y, width: pdf.width }, { color: QUIET_INK });
  for (const row of sheet.rows) {
    if (y + 34 > pdf.bottom) {
      await pdf.addPage();
      y = tableHead(pdf, sheet.columns, MARGIN);
    }
    y = tableRow(pdf, row, y);
  }
  return pdf.finish(`${sheet.title} · ${periodWords(sheet.period)} · made ${tableDayWords(now.toISOString().slice(0, 10))}`);
}

/** @returns the y position at which the table begins. */
function header(pdf: Pdf, { title, heading, period, figures }: Sheet): number {
  const full = { x: MARGIN, width: pdf.width };
  pdf.text('Case Platform', { ...full, y: MARGIN }, { size: 9, weight: 'strong', color: '#0f5e59' });
  pdf.text(heading, { ...full, y: MARGIN + 20 }, { size: 18, weight: 'strong' });
  const about = heading === title ? periodWords(period) : `${title}, ${periodWords(period)}`;
  pdf.text(about, { ...full, y: MARGIN + 46 }, { size: 10, color: QUIET_INK });
  const y = MARGIN + 76;
  figures.forEach(([words, amount], at) => {
    const place = { x: MARGIN + (at * pdf.width) / 4, width: pdf.width / 4 - GAP };
    pdf.text(words, { ...place, y }, { size: 8.5, color: QUIET_INK });
    pdf.text(amount, { ...place, y: y + 13 }, { size: 12, weight: 'strong' });
  });
  return y + 48;
}

function cellsOf(pdf: Pdf) {
  const last = { x: MARGIN + pdf.width - FIGURE, width: FIGURE };
  const third = { x: last.x - FIGURE, width: FIGURE };
  const second = { x: MARGIN + DAY, width: third.x - MARGIN - DAY - GAP };
  return [{ x: MARGIN, width: DAY }, second, third, last] as const;
}

function tableHead(pdf: Pdf, columns: Sheet['columns'], y: number): number {
  const looks = { size: 8.5, weight: 'strong', color: QUIET_INK } as const;
  cellsOf(pdf).forEach((cell, at) => {
    pdf.text(columns[at] ?? '', { ...cell, y }, { ...looks, align: at < 2 ? 'left' : 'right' });
  });
  pdf.rule(y + 15, '#8a9591');
  return y + 22;
}

function tableRow(pdf: Pdf, row: readonly string[], y: number): number {
  const [day, description, third, last] = cellsOf(pdf);
  pdf.text(row[0] ?? '', { ...day, y });
  const height = pdf.text(row[1] ?? '', { ...description, y }, { lines: ROW_LINES });
  pdf.figure(row[2] ?? '', { ...third, y });
  pdf.figure(row[3] ?? '', { ...last, y });
  pdf.rule(y + height + 3, '#eceeed');
  return y + height + 9;
}
