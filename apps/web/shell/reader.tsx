'use client';

import { useLayoutEffect } from 'react';
import { nameReader } from '../api/api-browser.ts';

/** Names the page's reader to the API client before the page makes its first call, and again after each refresh (WEB-12). */
export function Reader({ userId }: { userId: number }) {
  useLayoutEffect(() => nameReader(userId), [userId]);
  return null;
}
