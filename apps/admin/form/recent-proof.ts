import { ForbiddenError } from '@case-platform/lib/errors';
import { type Html, html } from '@case-platform/lib/html';
import { isRecentProof } from '@case-platform/modules/accounts';
import { confirmPath } from '../guards/safe-next.ts';
import type { Actor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';

/** The code of a refusal that a proof of identity resolves; the same form can then be sent again. */
export const CONFIRM_IDENTITY = 'confirm_identity';

/** Of a form that was refused: why, and the address that it was sent to. */
interface Refused {
  code: string;
  action: string;
}

/**
 * Whether this person confirmed their identity in the last ten minutes. Changes of anyone's two-factor, phone, address, or bank
 * account require it, because someone may have left a session open (IDENTITY-5).
 */
export function hasRecentProof({ session }: Actor, now: Date): boolean {
  return isRecentProof(session.confirmed_at, now);
}

/**
 * The same for a form, which comes back with what was typed.
 * @throws {ForbiddenError} `confirm_identity`
 */
export function requireRecentProof(actor: Actor, now: Date): void {
  if (hasRecentProof(actor, now)) return;
  const words = 'You signed in a while ago. Confirm it’s you in a new tab, then come back to this one and save again.';
  throw new ForbiddenError(words, CONFIRM_IDENTITY);
}

/** A form of this kind, or the question that comes before it: what would be typed meanwhile might be refused. */
export function orConfirmFirst(frame: Frame, refused: Refused | undefined, form: Html): Html {
  if (refused !== undefined || hasRecentProof(frame.actor, frame.clock.now)) return form;
  return html`<div class="panel padded">
    <p>You signed in a while ago. Confirm it’s you before you change this.</p>
    <div class="form-actions">
      <a class="btn btn-primary" href="${confirmPath(frame.path)}">Confirm it’s you</a>
    </div>
  </div>`;
}

/** A link to the proof of identity, in a new tab so that the text in this one stays. */
export function confirmLink({ code, action }: Refused): Html {
  if (code !== CONFIRM_IDENTITY) return html``;
  return html`<p class="mt-3"><a class="link" href="${confirmPath(action)}" target="_blank">Confirm it’s you</a></p>`;
}
