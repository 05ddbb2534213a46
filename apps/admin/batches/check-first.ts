import { type Html, html } from '@case-platform/lib/html';
import { ABOUT_THE_ACCOUNT, type BatchDetails, type BatchEntry } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { hasRecentProof } from '../form/recent-proof.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { paymentLink } from '../page/payment-cells.ts';
import { csrfField } from '../page/shell.ts';

/** The most lines; the table of a large batch marks all of its payments. */
const SHOWN = 10;

interface CheckedStep {
  /** The end of its address. */
  path: 'approve' | 'sign' | 'hand-out';
  /** The words on its button. */
  words: string;
  /** The end of the sentence "Confirm it’s you to …". */
  purpose: string;
  /** The SHA-256 of what is seen (BATCH-4). */
  sha256: string;
}

/**
 * A step that lets money leave: what is unusual about the payments, then its button. Someone who signed in a while ago first
 * confirms who they are (BATCH-11).
 */
export function checkedStep(frame: Frame, batch: BatchDetails, { path, words, purpose, sha256 }: CheckedStep): Html {
  const page = `/batches/${batch.id}`;
  const button = hasRecentProof(frame.actor, frame.clock.now)
    ? html`<form method="post" action="${page}/${path}" class="mt-3">
      ${csrfField(frame)}
      <input type="hidden" name="sha256" value="${sha256}">
      <button class="btn btn-primary" type="submit">${icon('shield-check')}${words}</button>
    </form>`
    : html`<p class="mt-3">
      <a class="btn btn-primary" href="${confirmPath(page)}">${icon('shield-check')}Confirm it’s you to ${purpose}</a>
    </p>`;
  return html`${unusualPayments(batch)}${button}`;
}

function unusualPayments({ entries }: BatchDetails): Html {
  const unusual = entries.filter(({ unusual: { length } }) => length > 0);
  if (unusual.length === 0) return html`<p class="quiet">Nothing about these payments is unusual.</p>`;
  const items = [...accountItems(unusual), ...unusual.flatMap(paymentItem)];
  const rest = items.length - SHOWN;
  const more = rest > 0 ? html`<li>More is marked in the list of payments.</li>` : '';
  const count = counted(unusual.length, 'payment is', 'payments are');
  return html`<div class="check-first">
    <p class="check-first-title">${icon('circle-alert')}Check first: ${count} unusual</p>
    <ul>${items.slice(0, SHOWN)}${more}</ul>
  </div>`;
}

/** One line for each payee, because all payments to an account have the same reasons. Two payees can have the same name. */
function accountItems(entries: readonly BatchEntry[]): Html[] {
  const groups = Map.groupBy(entries, (entry) => `${entry.payee_id} ${sentencesOf(entry, true)}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const sentences = first === undefined ? '' : sentencesOf(first, true);
    if (first === undefined || sentences === '') return [];
    const cents = group.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
    return [html`<li>${first.payee_name}, ${counted(group.length, 'payment')}, ${moneyWords(cents)}: ${sentences}</li>`];
  });
}

function paymentItem(entry: BatchEntry): Html[] {
  const sentences = sentencesOf(entry, false);
  if (sentences === '') return [];
  return [html`<li>${paymentLink(entry)}, ${moneyWords(entry.amount_cents)} to ${entry.payee_name}: ${sentences}</li>`];
}

function sentencesOf({ unusual }: BatchEntry, isAboutAccount: boolean): string {
  const own = unusual.filter(({ kind }) => ABOUT_THE_ACCOUNT.includes(kind) === isAboutAccount);
  return own.map(({ sentence }) => sentence).join(' ');
}
