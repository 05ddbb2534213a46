import { MARGIN, Pdf, QUIET_INK } from '@case-platform/lib/pdf/open-pdf';
import type { Paper } from '@case-platform/lib/pdf/paper';
import { longDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import type { ProofOfFunds } from './proof-of-funds.ts';

const day = (moment: Date) => longDayWords(moment.toISOString().slice(0, 10));

/** Draws the proof of funds for a clinic or an attorney. */
export async function proofOfFundsPdf(
  { case_id, amount_cents, made_at, expires_at, code }: ProofOfFunds & { code: string },
  { paper, webUrl }: { paper: Paper; webUrl: string },
): Promise<Buffer> {
  const title = `Proof of funds for case ${case_id}`;
  const pdf = await Pdf.open({ paper, title, now: made_at });
  const full = { x: MARGIN, width: pdf.width };
  pdf.text('Case Platform', { ...full, y: MARGIN }, { size: 9, weight: 'strong', color: '#0f5e59' });
  pdf.text('Proof of funds', { ...full, y: MARGIN + 24 }, { size: 22, weight: 'strong' });
  pdf.text('To whom it may concern', { ...full, y: MARGIN + 60 }, { size: 11, color: QUIET_INK });
  const statement = `We hold the amount below in escrow for this case. It is available: payments that are approved or on their way are not part of it.`;
  pdf.text(statement, { ...full, y: MARGIN + 84 }, { size: 11, lines: 3 });
  const facts = [
    ['Case number', String(case_id)],
    ['Available in escrow', moneyWords(amount_cents)],
    ['As of', day(made_at)],
    ['Can be checked until', day(expires_at)],
    ['Code', code],
  ] as const;
  facts.forEach(([words, value], at) => {
    const y = MARGIN + 140 + at * 30;
    pdf.text(words, { x: MARGIN, y, width: 150 }, { size: 11, color: QUIET_INK });
    pdf.text(value, { x: MARGIN + 150, y, width: pdf.width - 150 }, { size: 11, weight: 'strong' });
    pdf.rule(y + 21);
  });
  const check = `To check that this still holds, go to ${webUrl}/proof/${code}. The page shows the date, the case number and the amount, and needs no account.`;
  pdf.text(check, { ...full, y: MARGIN + 310 }, { size: 11, lines: 4 });
  return pdf.finish(title);
}
