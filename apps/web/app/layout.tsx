import './globals.css';
import { GeistSans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { Clock } from '../components/clock.tsx';
import { knownTheme, preferenceCookie } from '../lib/preferences.ts';
import { knownTimeZone } from '../lib/time-words.ts';

export const metadata: Metadata = {
  title: { default: 'Case Platform', template: '%s · Case Platform' },
  description: 'Messages, cases and payments around a surrogacy journey.',
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  interactiveWidget: 'resizes-content',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f8f5f0' },
    { media: '(prefers-color-scheme: dark)', color: '#141210' },
  ],
};

/** The document around every page: theme, fonts, and the clock that all times are told by. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const jar = await cookies();
  const theme = knownTheme(jar.get(preferenceCookie('theme'))?.value);
  const timeZone = knownTimeZone(jar.get(preferenceCookie('zone'))?.value);
  return (
    <html lang="en" data-theme={theme} className={GeistSans.variable}>
      <body>
        <Clock timeZone={timeZone} now={Date.now()}>
          {children}
        </Clock>
      </body>
    </html>
  );
}
