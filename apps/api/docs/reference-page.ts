import { brand, logoUrl } from '@case-platform/lib/brand';
import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import { ERROR_CODES } from './error-codes.ts';
import { type CodeSample, firstCall } from './first-call.ts';
import type { loadReferenceFiles } from './reference-files.ts';

type Files = Awaited<ReturnType<typeof loadReferenceFiles>>;

/** The pages run scripts and load styles of this host only, and call only this host (EDGE-4). Nothing in them is inline. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const SECTIONS = [
  ['first-call', 'Your first call'],
  ['authentication', 'Authentication'],
  ['conventions', 'Conventions'],
  ['limits', 'Limits'],
  ['errors', 'Errors'],
  ['operations-heading', 'Operations'],
] as const;

/** Greets people who open the address of the API in a browser. */
export function welcomePage({ apiUrl, webUrl }: { apiUrl: string; webUrl: string }, files: Files): Html {
  return documentOf(
    { title: brand().name, files },
    html`<main class="welcome">
      ${logo()}
      <h1>This is the API of ${brand().name}</h1>
      <p>Programs read cases, write messages, and ask for payments here. If you are looking for your own case, sign in instead.</p>
      <p class="actions"><a class="button" href="/docs">Read the reference</a> <a class="button second" href="${webUrl}">Sign in</a></p>
      <dl>
        <dt>Base address</dt>
        <dd><code>${apiUrl}</code></dd>
        <dt>Description (OpenAPI 3.1)</dt>
        <dd><a href="/openapi.json"><code>${apiUrl}/openapi.json</code></a></dd>
      </dl>
    </main>`,
  );
}

/** The reference: an introduction, and every operation of `/openapi.json` as Swagger UI shows it. */
export function referencePage({ apiUrl, isDemo }: { apiUrl: string; isDemo: boolean }, files: Files): Html {
  return documentOf(
    { title: `API reference · ${brand().name}`, files, isReference: true },
    html`<header class="top">
        <a class="brand" href="/">${logo()}${brand().name}</a>
        <a href="/openapi.json">OpenAPI description</a>
      </header>
      <div class="columns">
        <nav aria-label="On this page">
          <ul>${SECTIONS.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul>
        </nav>
        <main>
          <h1>API reference</h1>
          <p class="lead">
            Read cases, write messages, ask for payments, and follow them to the bank: everything that people do in the web
            frontend, programs can do here. The base address is <code>${apiUrl}</code>.
          </p>
          ${firstCallSection(apiUrl, isDemo)} ${AUTHENTICATION} ${CONVENTIONS} ${LIMITS} ${errorsSection()}
          <section aria-labelledby="operations-heading">
            <h2 id="operations-heading">Operations</h2>
            <p>
              Open one to see what it takes and returns, and choose <b>Execute</b> to call it. After you execute
              <code>POST /api/user/auth/login</code> once, the other calls use its token.
            </p>
            <div id="operations"><p class="loading">Loading…</p></div>
            <noscript><p>The operations need JavaScript. <a href="/openapi.json">Their description</a> does not.</p></noscript>
          </section>
        </main>
      </div>`,
  );
}

function firstCallSection(apiUrl: string, isDemo: boolean): Html {
  const samples = firstCall(apiUrl, isDemo);
  return html`<section aria-labelledby="first-call">
    <h2 id="first-call">Your first call</h2>
    <p>
      ${isDemo ? 'This signs in as a parent of the demo and lists her cases. It runs as it is.' : 'This signs in and lists your cases.'}
    </p>
    <div class="samples">
      ${samples.map(
        ({ label, lang }, at) =>
          html`<input type="radio" name="language" id="in-${lang}" ${checked(at === 0)}><label for="in-${lang}">${label}</label>`,
      )}
      ${samples.map(({ source, lang }: CodeSample) => html`<pre class="in-${lang}" tabindex="0"><code>${source}</code></pre>`)}
    </div>
  </section>`;
}

const checked = (isChecked: boolean): HtmlValue => isChecked && html`checked`;

const AUTHENTICATION = html`<section aria-labelledby="authentication">
  <h2 id="authentication">Authentication</h2>
  <dl>
    <dt>People</dt>
    <dd>
      <code>POST /api/user/auth/login</code> takes an email address, a user type, and a password, and returns an
      <code>access_token</code>. Send it as <code>Authorization: Bearer …</code>. It lasts 30 minutes;
      <code>expires_at</code> says until when. <code>POST /api/user/auth/refresh</code> exchanges the
      <code>refresh_token</code>, which lasts 24 hours, for the next one.
    </dd>
    <dt>Two-factor sign-in</dt>
    <dd>
      If the account has it, signing in returns <code>tfa_required: true</code> and a <code>tfa_token</code>. Send that to
      <code>POST /api/user/auth/verify-totp</code> with the <code>code</code> of six digits, or with a
      <code>backup_code</code>.
    </dd>
    <dt>Agencies</dt>
    <dd>Your systems send events to <code>POST /webhook</code> with your agency’s key in <code>X-API-Key</code>.</dd>
    <dt>Sensitive changes</dt>
    <dd>
      A new password, phone number, email address, bank account, or two-factor method also needs <code>pass_hash</code>,
      <code>code</code>, or <code>backup_code</code>, unless the sign-in is less than ten minutes old. Without it the answer is
      403 <a href="#confirm_identity"><code>confirm_identity</code></a>.
    </dd>
  </dl>
</section>`;

const CONVENTIONS = html`<section aria-labelledby="conventions">
  <h2 id="conventions">Conventions</h2>
  <dl>
    <dt>Data</dt>
    <dd>JSON in UTF-8. Ids are integers, times ISO 8601 in UTC, and money whole US cents in fields that end in <code>_cents</code>.</dd>
    <dt>Lists</dt>
    <dd>
      <code>{data, next_cursor}</code>. Send <code>next_cursor</code> back as <code>cursor</code> for the next page, and
      <code>limit</code> (1 to 100) for its size. Unknown parameters are rejected.
    </dd>
    <dt>Retries</dt>
    <dd>
      Every POST that creates something takes an <code>Idempotency-Key</code>. Repeat a call whose answer you did not get with
      the same key and body: it is done once, and you get the same answer for 24 hours.
    </dd>
    <dt>Money decisions</dt>
    <dd>
      A request has a <code>version</code>. Approving or denying it sends the version that you saw; if it changed meanwhile, the
      answer is 409 <a href="#changed"><code>changed</code></a> with the present state.
    </dd>
    <dt>Live updates</dt>
    <dd><code>GET /api/messages/events</code> streams server-sent events. Reconnect with <code>Last-Event-ID</code>.</dd>
  </dl>
</section>`;

const LIMITS = html`<section aria-labelledby="limits">
  <h2 id="limits">Limits</h2>
  <p>
    600 calls a minute for a person or an agency, 1,200 for an address, and 30 messages a minute for a person. Each answer says in
    <code>RateLimit</code> how many calls remain (<code>r</code>) and in how many seconds the count starts again
    (<code>t</code>), and in <code>RateLimit-Policy</code> what is allowed. Above a limit the answer is 429 with
    <code>Retry-After</code>.
  </p>
</section>`;

function errorsSection(): Html {
  return html`<section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      Errors are <code>application/problem+json</code> (RFC 9457). Programs decide by <code>code</code>, which is stable;
      <code>message</code> is for people, <code>errors</code> lists <code>{field, message}</code>, and <code>type</code> leads to
      the row below.
    </p>
    <table>
      <thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What it means</th></tr></thead>
      <tbody>
        ${Object.entries(ERROR_CODES).map(
          ([code, [statuses, meaning]]) =>
            html`<tr id="${code}">
              <td>${statuses.join(', ')}</td>
              <th scope="row"><code>${code}</code></th>
              <td>${withCode(meaning)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/** Shows what is between backticks as code. */
function withCode(text: string): HtmlValue[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}

function logo(): HtmlValue {
  const url = logoUrl();
  return url !== null && html`<img class="logo" src="${url}" alt="">`;
}

function documentOf({ title, files, isReference }: { title: string; files: Files; isReference?: true }, content: Html): Html {
  const style = (name: Parameters<Files['addressOf']>[0]) => html`<link rel="stylesheet" href="${files.addressOf(name)}">`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${title}</title>
        <link rel="icon" href="${logoUrl() ?? files.addressOf('icon.svg')}">
        ${style('page.css')} ${isReference && [style('reference.css'), style('swagger-ui.css'), style('operations.css')]}
        ${
          isReference &&
          html`<script src="${files.addressOf('swagger-ui.js')}" defer></script>
            <script src="${files.addressOf('reference.js')}" type="module"></script>`
        }
      </head>
      <body>
        ${content}
      </body>
    </html>
`;
}
