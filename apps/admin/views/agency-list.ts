import { html } from '@case-platform/lib/html';
import type { AgencySummary } from '@case-platform/modules/accounts';
import type { Frame } from '../frame.ts';
import { emptyState } from './notice.ts';
import { shellPage } from './shell.ts';
import { timeElement } from './times.ts';
import { counted } from './words.ts';

/** The agencies, and whether their systems can reach ours. */
export function agencyListPage(frame: Frame, agencies: AgencySummary[]): string {
  const content = html`<div class="page is-wide">
  <header class="page-header">
    <h1 class="page-title">Agencies</h1>
    <p class="page-lead">Who works with us, and the keys that their systems call our interface with.</p>
  </header>
  !${agencies.length === 0 ? html`<div class="panel">!${emptyState('building-2', 'No agencies yet', 'They appear here with their first case.')}</div>` : table(frame, agencies)}
</div>`;
  return shellPage(frame, { title: 'Agencies', content });
}

function table(frame: Frame, agencies: AgencySummary[]): string {
  const rows = agencies.map(
    ({ id, name, people, live_keys, last_used_at }) => html`<tr>
  <td data-label="Agency" class="cell-wide"><a class="link" href="/agencies/${id}">${name}</a></td>
  <td data-label="People">${counted(people, 'person', 'people')}</td>
  <td data-label="Keys">!${live_keys === 0 ? '<span class="quiet">No key</span>' : html`${counted(live_keys, 'live key')}`}</td>
  <td data-label="Last used" class="is-number">!${last_used_at === null ? '<span class="quiet">Never used</span>' : timeElement(last_used_at, frame.clock)}</td>
</tr>`,
  );
  return html`<div class="data-table-wrap"><table class="data-table is-stacked">
<thead><tr><th scope="col">Agency</th><th scope="col">People</th><th scope="col">Keys</th><th scope="col" class="is-number">A key was last used</th></tr></thead>
<tbody>!${rows}</tbody></table></div>`;
}
