import { type Html, html } from '@case-platform/lib/html';
import type { AgencyEventSeen } from '@case-platform/modules/cases';
import type { Frame } from '../page/frame.ts';
import { timeElement } from '../page/times.ts';

/** Events from agencies' systems, the newest first. On an agency's own page each event names its case. */
export function agencyEvents(frame: Frame, events: readonly AgencyEventSeen[], about: 'agency' | 'case'): Html {
  const items = events.map((event) => item(frame, event, about));
  const nothing =
    about === 'agency'
      ? 'No events in the last 400 days on cases you can see.'
      : 'No events about this case in the last 400 days.';
  return html`<section aria-labelledby="agency-events">
    <h2 class="section-title" id="agency-events">Events from ${about === 'agency' ? 'its systems' : 'the agency’s systems'}</h2>
    ${items.length === 0 ? html`<p class="quiet">${nothing}</p>` : html`<ol class="timeline">${items}</ol>`}
  </section>`;
}

function item(frame: Frame, event: AgencyEventSeen, about: 'agency' | 'case'): Html {
  const { type, case_id, case_name, agency_name, data, received_at } = event;
  const onCase = case_id === null ? '' : html`, <a class="link" href="/cases/${case_id}">${case_name}</a>`;
  const details =
    data === null
      ? ''
      : html`<details class="more-ways">
        <summary>Technical details</summary>
        <pre class="mono">${JSON.stringify(data, null, 2)}</pre>
      </details>`;
  return html`<li class="timeline-item">
    <span class="timeline-what wrap-anywhere">${type}</span>
    <span class="timeline-when">
      ${timeElement(received_at, frame.clock)}${about === 'agency' ? onCase : html`, ${agency_name}`}
    </span>
    ${details}
  </li>`;
}
