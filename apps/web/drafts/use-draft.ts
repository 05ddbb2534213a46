import 'client-only';
import { type RefObject, useEffect, useState } from 'react';
import { useEarlyValue } from '../look/use-early-value.ts';
import { joinDrafts, type MessagePlace, readDraft, saveDraft } from './drafts.ts';

/**
 * The draft of a message. It is read after the first render, because the server does not have it, and put before the text that
 * the person has typed by then.
 */
export function useDraft(
  userId: number,
  place: MessagePlace,
  field: RefObject<HTMLTextAreaElement | null>,
): [string, (text: string) => void] {
  const [text, setText] = useState('');
  useEffect(() => setText(readDraft(userId, place)), [userId, place]);
  const change = (next: string) => {
    setText(next);
    saveDraft(userId, place, next);
  };
  useEarlyValue(field, '', (typed) => change(joinDrafts(readDraft(userId, place), typed)));
  return [text, change];
}
