import { brand } from '@case-platform/lib/brand';
import { drawLetterhead } from '@case-platform/lib/pdf/letterhead';
import { MARGIN, Pdf, QUIET_INK } from '@case-platform/lib/pdf/open-pdf';
import type { Paper } from '@case-platform/lib/pdf/paper';
import { drawQrCode } from '@case-platform/lib/pdf/qr-code';
import { longDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import type { ProofOfFunds } from './proof-of-funds.ts';

const day = (moment: Date) => longDayWords(moment.toISOString().slice(0, 10));
const QR_SIDE = 92;

/**
 * Draws the proof of funds for a clinic or an attorney, with the company's letterhead and a QR code that leads to its page.
 * @param proof.addressee unset for a proof that is not recorded.
 */
export async function proofOfFundsPdf(
  { case_id, amount_cents, made_at, expires_at, code, addressee }: ProofOfFunds & { code: string; addressee?: string },
  { paper, webUrl }: { paper: Paper; webUrl: string },
): Promise<Buffer> {
  const title = `Proof of funds for case ${case_id}`;
  const pdf = await Pdf.open({ paper, title, now: made_at });
  const full = { x: MARGIN, width: pdf.width };
  const top = drawLetterhead(pdf);
  pdf.text(day(made_at), { ...full, y: top }, { size: 11, align: 'right' });
  pdf.text(addressee ?? 'To whom it may concern', { ...full, y: top }, { size: 11, lines: 2 });
  pdf.text('Proof of funds', { ...full, y: top + 44 }, { size: 22, weight: 'strong' });
  const statement = `${brand().name} holds the amount below in escrow for this case. It is available: payments that are approved or on their way are not part of it.`;
  pdf.text(statement, { ...full, y: top + 82 }, { size: 11, lines: 3 });
  const facts = [
    ['Case number', String(case_id)],
    ['Available in escrow', moneyWords(amount_cents)],
    ['As of', day(made_at)],
    ['Can be checked until', day(expires_at)],
    ['Code', code],
  ] as const;
  facts.forEach(([words, value], at) => {
    const y = top + 140 + at * 30;
    pdf.text(words, { x: MARGIN, y, width: 150 }, { size: 11, color: QUIET_INK });
    pdf.text(value, { x: MARGIN + 150, y, width: pdf.width - 150 }, { size: 11, weight: 'strong' });
    pdf.rule(y + 21);
  });
  const url = `${webUrl}/proof/${code}`;
  const below = { x: MARGIN + QR_SIDE + 22, width: pdf.width - QR_SIDE - 22 };
  await drawQrCode(pdf, url, { x: MARGIN, y: top + 314, side: QR_SIDE });
  pdf.text('Check that this still holds', { ...below, y: top + 314 }, { size: 11, weight: 'strong' });
  const check = `Scan the code with a phone, or go to ${url}. The page shows the date, the case number, and the amount, and needs no account.`;
  pdf.text(check, { ...below, y: top + 332 }, { size: 11, lines: 5 });
  return pdf.finish(title);
}
