import { brand, logoUrl } from '@case-platform/lib/brand';
import { type Html, html } from '@case-platform/lib/html';
import { readerLocale } from '@case-platform/words/formats';
import { type AssetName, assetUrl } from '../assets/assets.ts';
import type { Preferences } from './preferences.ts';

/** Live parts load fragments from this application only; a failed one leaves the page as it is. */
const HTMX_CONFIG = '{"includeIndicatorCSS":false,"history":false,"noSwap":[204,304,"4xx","5xx"]}';

interface Document {
  title: string;
  preferences: Preferences;
  /** Markup. */
  body: Html;
  /** The scripts that this page needs in addition to those of every page. */
  scripts?: readonly AssetName[];
  /** The path of a file whose download starts when the page opens. The page stays, because the file is an attachment. */
  download?: string | undefined;
}

/** A whole HTML document. */
export function htmlDocument({ title, preferences, body, scripts = [], download }: Document): Html {
  const modules = scripts.map((name) => html`<script src="${assetUrl(name)}" type="module"></script>`);
  const theme = preferences.theme === undefined ? '' : html`data-theme="${preferences.theme}"`;
  const refresh = download === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${download}">`;
  return html`<!doctype html>
    <html lang="en" data-locale="${readerLocale()}" ${theme}>
      <head>
        <meta charset="utf-8">
        <title>${title} · ${brand().name} staff</title>
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
        <meta name="robots" content="noindex, nofollow">
        <meta name="color-scheme" content="light dark">
        <meta name="htmx-config" content="${HTMX_CONFIG}">
        ${favicon()}
        <link rel="preload" href="${assetUrl('geist.woff2')}" as="font" type="font/woff2" crossorigin>
        <link rel="stylesheet" href="${assetUrl('app.css')}">
        <script src="${assetUrl('app.js')}" defer></script>
        <script src="${assetUrl('htmx.js')}" defer></script>
        ${modules} ${refresh}
      </head>
      <body> ${body} </body>
    </html>
`;
}

function favicon(): Html {
  const logo = logoUrl();
  if (logo !== null) return html`<link rel="icon" href="${logo}">`;
  return html`<link rel="icon" href="/favicon.ico" sizes="32x32">
    <link rel="icon" href="${assetUrl('favicon.svg')}" type="image/svg+xml">
    <link rel="apple-touch-icon" href="/apple-touch-icon.png">`;
}
