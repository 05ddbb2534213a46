import { type Html, html } from '@case-platform/lib/html';
import { displayName } from '@case-platform/modules/accounts';
import { counted } from '@case-platform/words/counts';
import { greetingWords } from '@case-platform/words/greeting';
import { toApiUserType } from '@case-platform/words/user-types';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { shellPage } from '../page/shell.ts';

/** The home page of everyone who is not staff: their messages and cases are in the web frontend. */
export function welcomePage(frame: Frame): Html {
  const { user } = frame.actor;
  const query = new URLSearchParams({ role: toApiUserType(user.user_type), callbackUrl: '/messages' });
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      <h1 class="page-title">${greetingWords(frame.clock)}, ${user.first_name || displayName(user)}</h1>
      <p class="page-lead">This application is for escrow staff. Your messages, cases and requests are in the web application.</p>
    </header>
    <div class="panel flex flex-col gap-4 p-6">
      <p>
        ${frame.unread === 0 ? 'You’ve read all your messages.' : `You have ${counted(frame.unread, 'unread message')}.`}
        You’ll
        be asked to sign in again there.
      </p>
      <p>
        <a class="btn btn-primary" href="${frame.webUrl}/login?${query.toString()}">${icon('messages-square')}Go to my messages</a>
      </p>
    </div>
  </div>`;
  return shellPage(frame, { title: 'Home', content });
}
