import { isDeepStrictEqual } from 'node:util';
import { type Html, html, joinHtml } from '@case-platform/lib/html';
import { permissionWords } from '@case-platform/modules/accounts';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import type { Clock } from '@case-platform/words/days';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { exactTimeWords } from '@case-platform/words/times';
import { HIDDEN_PART } from '../page/contact-parts.ts';
import { dataTable } from '../page/data-table.ts';
import type { ShownEntry } from './hide-drafts.ts';

const NOTHING = html`<span class="quiet"><span aria-hidden="true">–</span><span class="sr-only">Nothing</span></span>`;
/** The code of a return or of a notification of change. */
const BANK_CODE = /^[RC]\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Shows each field that changed, before and after. Items that a list has lost or gained are marked. */
export function auditDiff({ before, after, hidden }: Pick<ShownEntry, 'before' | 'after' | 'hidden'>, clock: Clock): Html {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (fields.length === 0) return html`<p class="quiet">No details were recorded.</p>`;
  const rows = fields.map((field) => {
    const [was, is] = [before?.[field], after?.[field]];
    if (hidden?.has(field)) return row(field, hiddenWords(was), hiddenWords(is));
    const wordsOf = (value: unknown) => valueWords(field, value, clock);
    const sideOf = (value: unknown) => (Array.isArray(value) ? listWords(value, wordsOf) : wordsOf(value));
    if (!Array.isArray(was) || !Array.isArray(is)) return row(field, sideOf(was), sideOf(is));
    const removal = (item: unknown) => (includes(is, item) ? wordsOf(item) : html`<del>${wordsOf(item)}</del>`);
    const addition = (item: unknown) => (includes(was, item) ? wordsOf(item) : html`<ins>${wordsOf(item)}</ins>`);
    return row(field, listWords(was, removal), listWords(is, addition));
  });
  return dataTable(['Field', 'Before', 'After'], rows, 'audit-diff');
}

function row(field: string, before: Html, after: Html): Html {
  return html`<tr>
    <th scope="row">${fieldWords(field)}</th>
    <td data-label="Before">${before}</td>
    <td data-label="After">${after}</td>
  </tr>`;
}

/** Shows that there is a value without showing it. */
function hiddenWords(value: unknown): Html {
  return isEmpty(value) ? NOTHING : HIDDEN_PART;
}

function fieldWords(field: string): string {
  return sentence(field.replace(/_cents$/, '').replace(/_id$/, ''));
}

function listWords(items: readonly unknown[], wordsOf: (item: unknown) => Html): Html {
  if (items.length === 0) return NOTHING;
  return html`<ul class="diff-list">${items.map((item) => html`<li>${wordsOf(item)}</li>`)}</ul>`;
}

function includes(items: readonly unknown[], item: unknown): boolean {
  return items.some((one) => isDeepStrictEqual(one, item));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function valueWords(field: string, value: unknown, clock: Clock): Html {
  if (isEmpty(value)) return NOTHING;
  if (typeof value === 'boolean') return html`${value ? 'Yes' : 'No'}`;
  if (typeof value === 'number' && field.endsWith('_cents')) return html`<span class="money">${moneyWords(value)}</span>`;
  if (typeof value === 'object') return partsWords(value as object, clock);
  const text = String(value);
  if (field === 'permissions') return html`${permissionWords(text)}`;
  if (MOMENT.test(text) && !Number.isNaN(Date.parse(text))) return html`${exactTimeWords(text, clock)}`;
  if (/code$/.test(field) && BANK_CODE.test(text)) return html`${reasonInWords(text)} <span class="mono">${text}</span>`;
  return html`${text}`;
}

/** A value with several parts, such as an entry of a return file. */
function partsWords(value: object, clock: Clock): Html {
  const parts = Object.entries(value).map(([name, part]) => html`${fieldWords(name)}: ${valueWords(name, part, clock)}`);
  return joinHtml(parts, ', ');
}
