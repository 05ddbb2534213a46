import { type Html, html } from '@case-platform/lib/html';
import type { Channel, Delivery, DeliveryState } from '@case-platform/modules/notifications';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { sentence } from '@case-platform/words/sentence';
import type { StaffActor } from '../guards/visitors.ts';
import { failureWords, maySeeContacts, recipientPart } from '../page/contact-parts.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { CHANNEL_WORDS, CHANNELS, channelLabel, DELIVERY_STATES, deliveryState, STATE_LOOKS } from './delivery-words.ts';

interface DeliveryListQuery {
  channel?: Channel | undefined;
  state?: DeliveryState | undefined;
  event?: string | undefined;
  /** Part of a name or address. */
  person?: string | undefined;
  user_id?: number | undefined;
  before?: number | undefined;
}

interface DeliveryList {
  deliveries: Delivery[];
  next_before: number | null;
  /** The events that deliveries are sent for. */
  events: string[];
  query: DeliveryListQuery;
}

/** Everything that was sent, newest first. */
export function deliveryListPage(frame: Frame<StaffActor>, { deliveries, next_before, events, query }: DeliveryList): Html {
  const { before: _, ...narrowed } = query;
  const isNarrowed = Object.values(narrowed).some((value) => value !== undefined);
  const nothing = isNarrowed
    ? emptyState('search', 'No matching deliveries', 'Try another person or different filters.')
    : emptyState('mail-check', 'Nothing sent yet', 'Emails, texts and push notifications appear here within seconds.');
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <h1 class="page-title">Deliveries</h1>
      <p class="page-lead">
        Emails, text messages and push notifications to people on the platform.
        <a class="link" href="/deliveries/suppressions">Blocked addresses</a> ·
        <a class="link" href="/deliveries/jobs">Failed jobs</a>
      </p>
    </header>
    ${filters(frame, query, events)}
    ${
      query.user_id === undefined
        ? ''
        : html`<p class="quiet mb-3">
          Only to <a class="link" href="/users/${query.user_id}">one person</a>. <a class="link" href="/deliveries">Show all</a>
        </p>`
    }
    ${deliveries.length === 0 ? html`<div class="panel">${nothing}</div>` : table(frame, deliveries)}
    ${pager({
      path: (before) => listAddress('/deliveries', { ...query, before }),
      current: query.before,
      next: next_before,
    })}
  </div>`;
  return shellPage(frame, { title: 'Deliveries', content });
}

function table(frame: Frame<StaffActor>, deliveries: Delivery[]): Html {
  const rows = deliveries.map((delivery) => {
    const { id, channel, recipient, subject, event, state, attempts, created_at } = delivery;
    return html`<tr>
      <td data-label="Channel">${channelLabel(channel)}</td>
      <td data-label="To" class="cell-address">${recipientPart(frame, recipient)}</td>
      <td data-label="What" class="cell-wide">
        <a class="link" href="/deliveries/${id}">${subject || sentence(event)}</a>
        <span class="cell-note">${failureWords(frame, delivery) ?? sentence(event)}</span>
      </td>
      <td data-label="State">${deliveryState(state)}</td>
      <td data-label="Tries" class="is-number">${attempts}</td>
      <td data-label="When" class="is-number">${timeElement(created_at, frame.clock)}</td>
    </tr>`;
  });
  return dataTable(['Channel', 'To', 'What', 'State', numberHeading('Tries'), numberHeading('When')], rows, 'is-list');
}

function filters(frame: Frame<StaffActor>, query: DeliveryListQuery, events: string[]): Html {
  const { channel, state, event, person, user_id } = query;
  const search = maySeeContacts(frame.actor)
    ? html`<div class="search-box">
      <label class="input input-sm">
        <span class="sr-only">Search by person</span>
        ${icon('search')}
        <input type="search" name="person" value="${person}" maxlength="${SEARCH_MAX}" placeholder="Name or address of a person">
      </label>
    </div>`
    : '';
  const option = (value: string, words: string, chosen: boolean) =>
    html`<option value="${value}" ${chosen ? 'selected' : ''}>${words}</option>`;
  return html`<form class="filter-bar" method="get" action="/deliveries">
    <label>
      <span class="sr-only">Channel</span>
      <select class="select select-sm" name="channel" data-submit-on-change>
        ${option('', 'All channels', channel === undefined)}
        ${CHANNELS.map((value) => option(value, CHANNEL_WORDS[value].words, value === channel))}
      </select>
    </label>
    <label>
      <span class="sr-only">State</span>
      <select class="select select-sm" name="state" data-submit-on-change>
        ${option('', 'All states', state === undefined)}
        ${DELIVERY_STATES.map((value) => option(value, STATE_LOOKS[value].words, value === state))}
      </select>
    </label>
    <label>
      <span class="sr-only">Reason</span>
      <select class="select select-sm" name="event" data-submit-on-change>
        ${option('', 'All reasons', event === undefined)}
        ${events.map((value) => option(value, sentence(value), value === event))}
      </select>
    </label>
    ${user_id === undefined ? '' : html`<input type="hidden" name="user_id" value="${user_id}">`}
    ${search}
    <button class="btn btn-sm" type="submit" data-without-script>Show</button>
  </form>`;
}
