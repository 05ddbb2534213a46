import { createHash } from 'node:crypto';
import { brand } from '@case-platform/lib/brand';
import { type Html, html, trustedHtml } from '@case-platform/lib/html';
import type { Unsubscription } from '@case-platform/modules/notifications';

const STYLE = `
:root { color-scheme: light dark; --ground: #f6f3ee; --sheet: #fff; --line: #e3ded5; --ink: #25302f; --primary: #0f5e59; --on-primary: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #171b1b; --sheet: #202626; --line: #38403f; --ink: #e8e4dc; --primary: #7cc9c1; --on-primary: #10201f; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 24px 12px; background: var(--ground); color: var(--ink); font: 16px/1.5 -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
main { max-width: 35rem; margin: 0 auto; padding: 32px 28px; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
.brand { margin: 0 0 24px; font-size: 14px; font-weight: 600; color: var(--primary); }
h1 { margin: 0 0 16px; font-size: 22px; line-height: 1.3; font-weight: 600; text-wrap: balance; }
p { margin: 0 0 16px; }
form { margin: 24px 0 0; }
button { min-height: 44px; padding: 10px 20px; border: 1px solid var(--primary); border-radius: 8px; background: var(--primary); color: var(--on-primary); font: inherit; font-weight: 600; cursor: pointer; }
button.second { background: transparent; color: var(--primary); }
button:focus-visible { outline: 3px solid var(--primary); outline-offset: 2px; }
@media (max-width: 480px) { main { padding: 24px 20px; } button { width: 100%; } }
`;

/** The page loads nothing, runs no script, and has only its own style. */
export const UNSUBSCRIBE_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The page behind a mail's unsubscribe link: its subject, and one button (EMAIL-14). */
export function unsubscribePage(unsubscription: Pick<Unsubscription, 'title' | 'enabled'> | null): Html {
  if (unsubscription === null) {
    return documentOf(
      'This link does not work',
      html`<p>It may have been cut off. Open it again from the email, or choose what we email you about in your settings.</p>`,
    );
  }
  const { enabled } = unsubscription;
  const kind = unsubscription.title.charAt(0).toLowerCase() + unsubscription.title.slice(1);
  return enabled
    ? documentOf(
        'Stop these emails?',
        html`<p>
            We will stop emailing you about <strong>${kind}</strong>. You still see everything when you sign in, and still get
            what protects your account and your money.
          </p>
          <form method="post"><button>Stop these emails</button></form>`,
      )
    : documentOf(
        'You won’t get these emails anymore',
        html`<p>We have stopped emailing you about <strong>${kind}</strong>. You still see everything when you sign in.</p>
          <form method="post"><button class="second" name="on-again" value="yes">Get them again</button></form>`,
      );
}

function documentOf(heading: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>${heading} · ${brand().name}</title>
        <style>${trustedHtml(STYLE)}</style>
      </head>
      <body>
        <main>
          <p class="brand">${brand().name}</p>
          <h1>${heading}</h1>
          ${content}
        </main>
      </body>
    </html>
`;
}
