import { randomUUID } from 'node:crypto';
import { type Html, html } from '@case-platform/lib/html';

/** Makes what a form asks for happen once, however often the form is sent. */
export function idempotencyField(): Html {
  return html`<input type="hidden" name="idempotency_key" value="${randomUUID()}">`;
}
