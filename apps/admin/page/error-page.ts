import { type Html, html } from '@case-platform/lib/html';
import { htmlDocument } from './document.ts';
import type { Frame } from './frame.ts';
import { brandLine, type IconName, icon } from './icons.ts';
import type { Preferences } from './preferences.ts';
import { shellPage } from './shell.ts';

interface Failure {
  status: number;
  /** One or two sentences for the reader. */
  detail: string;
  requestId: string;
  /** The number of the visit; undefined for visitors who are not signed in. */
  visitId: string | undefined;
  /** The address of the sign-in page, for people whose session has ended. */
  signIn: string;
  /** The page to try again: the requested one, or the one with the form that was sent. */
  again: { path: string; words: 'Try again' | 'Go back' };
}

const PAGES: Record<number, { title: string; mark: IconName }> = {
  401: { title: 'You’re signed out', mark: 'log-out' },
  403: { title: 'You don’t have access', mark: 'shield-off' },
  404: { title: 'We can’t find this page', mark: 'compass' },
  409: { title: 'Someone else changed this', mark: 'users' },
  413: { title: 'That’s too large', mark: 'circle-alert' },
  415: { title: 'We can’t read this', mark: 'circle-alert' },
  422: { title: 'Something needs correcting', mark: 'circle-alert' },
  429: { title: 'Please wait a moment', mark: 'circle-alert' },
  503: { title: 'We’ll be right back', mark: 'cloud-off' },
};
const FAULT = { title: 'Something went wrong on our side', mark: 'cloud-off' } as const;

/** Says what happened and what to do next, with the number by which support can find it. */
export function errorPage(frame: Frame | null, preferences: Preferences, failure: Failure): Html {
  const { title, mark } = PAGES[failure.status] ?? FAULT;
  const content = html`<div class="empty-state error-state" role="alert">
    ${icon(mark)}
    <h1 class="page-title">${title}</h1>
    <p>${failure.detail}</p>
    ${wayOn(failure)}
    <p class="quiet request-id">
      If you ask for help, include this:<br>Reference
      <span class="mono">${failure.requestId}</span>
      ${failure.visitId === undefined ? '' : html`<br>Visit <span class="mono">${failure.visitId}</span>`}
    </p>
  </div>`;
  if (frame !== null) return shellPage(frame, { title, content });
  const brand = html`<p class="shell-brand">${brandLine()}</p>`;
  return htmlDocument({ title, preferences, body: html`<main class="sign-in" id="main">${brand}${content}</main>` });
}

function wayOn({ status, signIn, again }: Failure): Html {
  if (status === 401) return html`<a class="btn btn-primary" href="${signIn}">Sign in again</a>`;
  const passes = status === 429 || status >= 500;
  if (!passes) return html`<a class="btn btn-primary" href="/">Go to the dashboard</a>`;
  const home = again.path === '/' ? '' : html`<a class="btn" href="/">Go to the dashboard</a>`;
  return html`<p class="flex flex-wrap justify-center gap-2">
    <a class="btn btn-primary" href="${again.path}">${again.words}</a>
    ${home}
  </p>`;
}
