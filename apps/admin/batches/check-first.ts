import { type Html, html } from '@case-platform/lib/html';
import type { BatchDetails } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { hasRecentProof } from '../form/recent-proof.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import { paymentLink } from './batch-entries.ts';

/** The payments of a large batch that are listed here; the table marks all of them. */
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
  const items = unusual.slice(0, SHOWN).map((entry) => {
    const reasons = entry.unusual.map(({ sentence }) => sentence).join(' ');
    return html`<li>${paymentLink(entry)}, ${moneyWords(entry.amount_cents)} to ${entry.payee_name}: ${reasons}</li>`;
  });
  const rest = unusual.length - items.length;
  const more = rest > 0 ? html`<li>${counted(rest, 'more payment')} marked in the list of payments.</li>` : '';
  return html`<div class="check-first">
    <p class="check-first-title">${icon('circle-alert')}Check first: ${counted(unusual.length, 'payment is', 'payments are')} unusual</p>
    <ul>${items}${more}</ul>
  </div>`;
}
