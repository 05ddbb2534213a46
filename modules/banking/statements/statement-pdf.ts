import { brand } from '@case-platform/lib/brand';
import { invalid } from '@case-platform/lib/errors';
import { MARGIN, Pdf, QUIET_INK } from '@case-platform/lib/pdf/open-pdf';
import type { Paper } from '@case-platform/lib/pdf/paper';
import { cleanLine } from '@case-platform/lib/text/human-text';
import { bankDayOf } from '@case-platform/words/bank-days';
import { monthWords, tableDayWords } from '@case-platform/words/day-words';
import { STATEMENT_PDF_MAX } from '@case-platform/words/limits';
import { moneyWords, PDF_IS_TOO_LONG, signedMoneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { cashLineWords, groupByMonth, monthTotalWords, setAsideWords } from '@case-platform/words/statements/statement-lines';
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
  const { case_id, case_name, data, months, set_aside, opening_balance_cents, closing_balance_cents } = statement;
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
      rows: [
        ...groupByMonth(data, months).flatMap(({ month, lines }) => [
          ...lines.map(lineRow),
          ...(month === null ? [] : [monthRow(month)]),
        ]),
        ...setAsideRows(set_aside),
      ],
      empty: 'No money moved in this period.',
    },
    printing,
  );
}

function lineRow({ date, description, amount_cents, balance_cents, ...line }: CaseStatement['data'][number]): Row {
  const figures = [signedMoneyWords(amount_cents), moneyWords(balance_cents)] as const;
  return { day: tableDayWords(date), text: cleanLine(description), note: cashLineWords(line), figures };
}

/** The payments that the closing balance still contains, after the movements. */
function setAsideRows(payments: CaseStatement['set_aside']): Row[] {
  if (payments.length === 0) return [];
  const note = 'Not paid yet, with the days they should arrive. The closing balance contains them.';
  const rows = payments.map(({ description, amount_cents, ...line }): Row => {
    return { ...setAsideWords(line), text: cleanLine(description), figures: [moneyWords(amount_cents), ''] };
  });
  return [{ day: '', text: 'Set aside', note, figures: ['', ''], isTotal: true }, ...rows];
}

function monthRow(month: CaseStatement['months'][number]): Row {
  const { name, totals } = monthTotalWords(month);
  const figures = [signedMoneyWords(month.in_cents + month.out_cents), moneyWords(month.balance_cents)] as const;
  return { day: '', text: name, note: totals, figures, isTotal: true };
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
      rows: groupByMonth(payments.data, payments.months).flatMap(({ month, lines }) => [
        ...lines.map(ownRow),
        ...(month === null ? [] : [ownMonthRow(month)]),
      ]),
      empty: 'Nothing was paid to you in this period.',
    },
    printing,
  );
}

function ownRow({ date, case_id, category, description, state, amount_cents }: OwnPayments['data'][number]): Row {
  const figures = [state === 'paid' ? 'Paid' : 'Returned', moneyWords(amount_cents)] as const;
  return { day: tableDayWords(date), text: cleanLine(description), note: `${sentence(category)} · case ${case_id}`, figures };
}

function ownMonthRow({ month, total_cents }: OwnPayments['months'][number]): Row {
  return { day: '', text: `${monthWords(month)} total`, note: '', figures: ['', moneyWords(total_cents)], isTotal: true };
}

interface Row {
  day: string;
  /** The purpose of the line. */
  text: string;
  /** The small print below. */
  note: string;
  figures: readonly [string, string];
  isTotal?: boolean;
}

interface Sheet {
  title: string;
  heading: string;
  period: Period;
  figures: [words: string, amount: string][];
  columns: [string, string, string, string];
  rows: Row[];
  /** The text shown when there are no rows. */
  empty: string;
}

const [DAY, FIGURE, GAP] = [76, 92, 10];

/** @throws {InvalidInputError} for more rows than a PDF may have, because each takes about a millisecond. */
async function printTable(sheet: Sheet, { paper, now }: Printing): Promise<Buffer> {
  if (sheet.rows.filter(({ isTotal }) => isTotal !== true).length > STATEMENT_PDF_MAX) throw invalid('from', PDF_IS_TOO_LONG);
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
  return pdf.finish(`${sheet.title} · ${periodWords(sheet.period)} · made ${tableDayWords(bankDayOf(now))}`);
}

/** @returns the y position at which the table begins. */
function header(pdf: Pdf, { title, heading, period, figures }: Sheet): number {
  const full = { x: MARGIN, width: pdf.width };
  pdf.text(brand().name, { ...full, y: MARGIN }, { size: 9, weight: 'strong', color: '#0f5e59' });
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

function tableRow(pdf: Pdf, { day, text, note, figures, isTotal = false }: Row, y: number): number {
  const [first, description, third, last] = cellsOf(pdf);
  const weight = isTotal ? 'strong' : 'text';
  pdf.text(day, { ...first, y });
  const height = pdf.text(text, { ...description, y }, { weight });
  const below = note === '' ? 0 : pdf.text(note, { ...description, y: y + height }, { size: 8, color: QUIET_INK });
  pdf.figure(figures[0], { ...third, y }, { weight });
  pdf.figure(figures[1], { ...last, y }, { weight });
  const end = y + height + below + 3;
  pdf.rule(end, isTotal ? '#8a9591' : '#eceeed');
  return end + 6;
}
