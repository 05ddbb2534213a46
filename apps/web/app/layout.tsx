import { readerLocale } from '@case-platform/words/formats';
import { findTimeZone } from '@case-platform/words/time-zones';
import { brand } from '../api/server-environment.ts';
import './globals.css';
import { GeistSans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import type { ReactNode } from 'react';
import { Clock } from '../look/clock.tsx';
import { parseTheme, readPreference } from '../look/preferences.ts';
import { EARLY_TAPS } from '../shell/early-taps.ts';
import { Hydrated } from '../shell/hydrated.tsx';

export function generateMetadata(): Metadata {
  const { name, logoUrl: logo } = brand();
  return {
    title: { default: name, template: `%s · ${name}` },
    description: 'Messages, cases and payments around a surrogacy journey.',
    robots: { index: false, follow: false },
    ...(logo === null ? {} : { icons: { icon: logo } }),
  };
}

/** The background color of each theme, for the browser's bars around the page. */
const GROUND = { light: '#f8f5f0', dark: '#141210' };

/** The browser's bars follow the chosen theme, or the device's if none is chosen. */
export async function generateViewport(): Promise<Viewport> {
  const theme = parseTheme(readPreference(await cookies(), 'theme'));
  const byDevice = (['light', 'dark'] as const).map((scheme) => ({
    media: `(prefers-color-scheme: ${scheme})`,
    color: GROUND[scheme],
  }));
  return {
    width: 'device-width',
    initialScale: 1,
    viewportFit: 'cover',
    interactiveWidget: 'resizes-content',
    themeColor: theme === undefined ? byDevice : GROUND[theme],
  };
}

/** The document around every page, with its theme, fonts, and the clock that all shown times use. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const [jar, nonce] = [await cookies(), (await headers()).get('x-nonce') ?? undefined];
  const theme = parseTheme(readPreference(jar, 'theme'));
  const chosen = readPreference(jar, 'chosen-zone');
  const zone = findTimeZone(chosen ?? readPreference(jar, 'zone')) ?? 'UTC';
  return (
    <html lang="en" data-locale={readerLocale()} data-theme={theme} className={GeistSans.variable}>
      <body>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of our own. */}
        <script nonce={nonce} dangerouslySetInnerHTML={{ __html: EARLY_TAPS }} />
        <Clock zone={zone} isChosen={chosen !== undefined} now={Date.now()}>
          {children}
        </Clock>
        <Hydrated />
      </body>
    </html>
  );
}
