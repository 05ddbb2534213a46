import 'client-only';
import { useEffect, useState } from 'react';
import { keepDraft, readDraft } from './drafts.ts';

/** What was written and not sent yet. It is read after the first render, because the server does not know it. */
export function useDraft(userId: number, place: number | 'new'): [string, (text: string) => void] {
  const [text, setText] = useState('');
  useEffect(() => setText(readDraft(userId, place)), [userId, place]);
  const change = (next: string) => {
    setText(next);
    keepDraft(userId, place, next);
  };
  return [text, change];
}
