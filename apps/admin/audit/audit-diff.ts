import { type Html, html, joinHtml } from '@case-platform/lib/html';
import { permissionWords } from '@case-platform/modules/accounts';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import type { Clock } from '@case-platform/words/days';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { exactTimeWords } from '@case-platform/words/times';
import { HIDDEN_PART } from '../page/contact-parts.ts';
import type { ShownEntry } from './hide-drafts.ts';

const NOTHING = html`<span class="quiet"><span aria-hidden="true">–</span><span class="sr-only">Nothing</span></span>`;
/** The code of a return or of a notification of change. */
const BANK_CODE = /^[RC]\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Each field that changed, as it was and as it is. */
export function auditDiff({ before, after, hidden }: Pick<ShownEntry, 'before' | 'after' | 'hidden'>, clock: Clock): Html {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (fields.length === 0) return html`<p class="quiet">No details were recorded.</p>`;
  const rows = fields.map((field) => {
    const [was, is] = [before?.[field], after?.[field]];
    if (hidden?.has(field)) return row(field, hiddenSide(was), hiddenSide(is));
    return row(field, side(field, was, is, 'was', clock), side(field, is, was, 'is', clock));
  });
  return html`<div class="data-table-wrap">
    <table class="data-table is-stacked audit-diff">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
}

function row(field: string, before: Html, after: Html): Html {
  return html`<tr>
    <th scope="row">${fieldWords(field)}</th>
    <td data-label="Before">${before}</td>
    <td data-label="After">${after}</td>
  </tr>`;
}

/** Shows that there is a value without showing it. */
function hiddenSide(value: unknown): Html {
  return value === null || value === undefined || value === '' ? NOTHING : HIDDEN_PART;
}

function fieldWords(field: string): string {
  return sentence(field.replace(/_cents$/, '').replace(/_id$/, ''));
}

/** One side of a change. What a list has lost or gained is marked. */
function side(field: string, value: unknown, other: unknown, which: 'was' | 'is', clock: Clock): Html {
  if (!Array.isArray(value)) return valueWords(field, value, clock);
  if (value.length === 0) return NOTHING;
  const others = new Set(Array.isArray(other) ? other.map((item) => JSON.stringify(item)) : undefined);
  const items = value.map((item) => {
    const words = valueWords(field, item, clock);
    if (others.has(JSON.stringify(item)) || !Array.isArray(other)) return html`<li>${words}</li>`;
    return which === 'was' ? html`<li><del>${words}</del></li>` : html`<li><ins>${words}</ins></li>`;
  });
  return html`<ul class="diff-list">${items}</ul>`;
}

function valueWords(field: string, value: unknown, clock: Clock): Html {
  if (value === null || value === undefined || value === '') return NOTHING;
  if (typeof value === 'boolean') return html`${value ? 'Yes' : 'No'}`;
  if (typeof value === 'number' && field.endsWith('_cents')) return html`<span class="money">${moneyWords(value)}</span>`;
  if (typeof value === 'object') return partsWords(value, clock);
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
