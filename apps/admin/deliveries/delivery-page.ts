import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import type { DeliveryContent, WholeDelivery } from '@case-platform/modules/notifications';
import { counted } from '@case-platform/words/counts';
import { sentence } from '@case-platform/words/sentence';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { failureWords, recipientPart } from '../page/contact-parts.ts';
import type { Frame } from '../page/frame.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { channelLabel, deliveryState } from './delivery-words.ts';

/** One delivery: how it went, and in development its content. */
export function deliveryPage(
  frame: Frame<StaffActor>,
  { delivery, done, refused }: { delivery: WholeDelivery; done: string | undefined; refused: RefusedForm | undefined },
): Html {
  const { id, channel, recipient, subject, event, state, attempts, created_at, sent_at } = delivery;
  const error = failureWords(frame, delivery);
  const fact = (name: string, value: HtmlValue) => html`<dt>${name}</dt><dd>${value}</dd>`;
  const content = html`<div class="page">
    <header class="page-header">
      ${backLink('/deliveries', 'Back to all deliveries')}
      <h1 class="page-title">${subject || sentence(event)}</h1>
    </header>
    ${formNotices({ done, refused })}
    ${
      error === null
        ? ''
        : html`<div class="form-problem">${notice(state === 'failed' ? 'error' : 'waiting', error, 'What went wrong')}</div>`
    }
    <dl class="facts">
      ${fact('Channel', channelLabel(channel))} ${fact('To', recipientPart(frame, recipient))} ${fact('Reason', sentence(event))}
      ${fact('State', html`${deliveryState(state)} <span class="quiet">after ${counted(attempts, 'try', 'tries')}</span>`)}
      ${fact('Queued', timeElement(created_at, frame.clock))}
      ${sent_at === null ? '' : fact('Sent', timeElement(sent_at, frame.clock))} ${outcomeFact(frame, delivery, fact)}
    </dl>
    ${retryButton(frame, delivery)}
    ${technicalDetails(delivery, fact)}
    ${keptContent(frame, id, delivery.content)}
  </div>`;
  return shellPage(frame, { title: subject || sentence(event), content });
}

/** It holds codes and links, so only those who may view deliveries see it, even if others may open the page. */
function keptContent({ actor }: Frame<StaffActor>, id: number, content: DeliveryContent | null): Html {
  if (content === null) return html``;
  if (!actor.admin.can('view_deliveries')) return notice('info', 'Your role can’t see the message.');
  const rendered =
    content.html === undefined
      ? ''
      : html`<h2 class="section-title">Preview</h2>
        <iframe class="email-frame panel" src="/deliveries/${id}/content" title="Email preview" sandbox></iframe>`;
  const text =
    content.text === undefined
      ? ''
      : html`<h2 class="section-title">Plain text</h2>
        <pre class="email-text panel">${content.text}</pre>`;
  return html`${notice('info', 'No provider is set up here, so it was kept here instead of being sent.')}
    ${rendered}
    ${text}`;
}

/** The numbers that a provider's support and ours ask for. */
function technicalDetails({ provider_id, content, request_id }: WholeDelivery, fact: Fact): Html {
  const reference = content === null ? provider_id : null;
  if (reference === null && request_id === null) return html``;
  const mono = (value: string) => html`<span class="mono">${value}</span>`;
  return html`<details class="technical">
    <summary>Technical details</summary>
    <dl class="facts">
      ${request_id === null ? '' : fact('Request', mono(request_id))}
      ${reference === null ? '' : fact('Provider’s reference', mono(reference))}
    </dl>
  </details>`;
}

type Fact = (name: string, value: HtmlValue) => Html;

/** The provider's later report on the delivery. */
function outcomeFact({ clock }: Frame, { outcome, outcome_at }: WholeDelivery, fact: Fact): Html | null {
  if (outcome === null || outcome_at === null) return null;
  return fact(outcome === 'delivered' ? 'Delivered' : 'Bounced', timeElement(outcome_at, clock));
}

function retryButton(frame: Frame<StaffActor>, { id, can_retry }: WholeDelivery): Html {
  if (!can_retry || !frame.actor.admin.can('view_deliveries')) return html``;
  return html`<form class="form-actions" method="post" action="/deliveries/${id}/retry">
    ${csrfField(frame)}
    <button class="btn btn-primary btn-sm" type="submit">Try again</button>
  </form>`;
}
