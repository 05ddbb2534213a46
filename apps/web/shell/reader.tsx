'use client';

import { useLayoutEffect } from 'react';
import { nameReader } from '../api/api-browser.ts';

/** Tells the API's client whom this page is for, before anything in it asks; also when the server renders it anew. */
export function Reader({ userId }: { userId: number }) {
  useLayoutEffect(() => nameReader(userId), [userId]);
  return null;
}
