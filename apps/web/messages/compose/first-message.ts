import 'client-only';
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { errorMessage } from '../../api/api-error.ts';
import type { Person, StartedChain } from '../../api/api-shapes.ts';
import { keepDraft, readAttempt, readDraft } from '../../drafts/drafts.ts';
import { keys } from '../queries.ts';
import { messageForm } from './message-form.ts';
import { sendForm } from './send-form.ts';
import { noteSent } from './sent-message.ts';

/** The content of a message that starts a conversation. */
interface Written {
  text: string;
  subject: string;
  caseId: number | null;
  recipients: Person[];
  files: File[];
}

interface Problem {
  title: string;
  text: string;
}

interface Sending {
  busy: boolean;
  /** From 0 to 1. */
  progress: number;
  problem: Problem | null;
  /** The message of the last attempt, which the form shows again; null before the first attempt. */
  written: Written | null;
  /** The id of the new conversation, if the form was still shown when it began. */
  sentTo: number | null;
}

const IDLE: Sending = { busy: false, progress: 0, problem: null, written: null, sentTo: null };

let state = IDLE;
let controller: AbortController | null = null;
const listeners = new Set<() => void>();

/** The state of the message that starts a conversation. Sending continues when its form closes, and the form shows it again. */
export function useFirstMessage(): Sending {
  return useSyncExternalStore(
    subscribe,
    () => state,
    () => IDLE,
  );
}

/** Starts a conversation. Attempts with the same content share an idempotency key, even after a reload (OUTBOX-1). */
export async function startChain(userId: number, written: Written, client: QueryClient): Promise<void> {
  if (state.busy) return;
  const { caseId, text, subject, files } = written;
  // The API compares the bodies of attempts, in which the order of recipients counts.
  const recipients = [...written.recipients].sort((one, other) => one.user_id - other.user_id);
  const form = messageForm({ text, files, subject, caseId, recipients });
  controller = new AbortController();
  set({ ...IDLE, busy: true, written });
  try {
    const { chain } = await sendForm<StartedChain>('/api/messages', form, {
      idempotencyKey: attemptKey(userId, contentOf(form)),
      signal: controller.signal,
      onProgress: (progress) => set({ ...state, progress }),
    });
    forgetWritten(userId, written);
    noteSent();
    void client.invalidateQueries({ queryKey: keys.allChains });
    // A person who has gone to another page stays there.
    set(listeners.size === 0 ? IDLE : { ...state, sentTo: chain.id });
  } catch (error) {
    const cancelled = error instanceof DOMException && error.name === 'AbortError';
    const problem = cancelled
      ? { title: 'You cancelled this message', text: 'It is saved as a draft.' }
      : { title: 'We couldn’t send this message', text: `It is saved as a draft. ${errorMessage(error)}` };
    set({ ...state, busy: false, problem });
  }
}

/** Shows why the message is not sent at all. */
export function refuseNew(problem: Problem): void {
  set({ ...state, problem });
}

/** Cancels the running attempt. */
export function cancelNew(): void {
  controller?.abort();
}

function set(next: Sending): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    // A result that the writer has seen is dropped when they leave the form.
    if (listeners.size === 0 && (!state.busy || state.sentTo !== null)) state = IDLE;
  };
}

/** The last attempt, for browsers in which storage is switched off. */
let last = { key: '', content: '' };

function attemptKey(userId: number, content: string): string {
  const previous = readDraft(userId, 'new') === '' ? last : readAttempt(userId);
  last = previous?.content === content ? previous : { key: crypto.randomUUID(), content };
  keepDraft(userId, 'new-attempt', JSON.stringify(last));
  return last.key;
}

/** Deletes the draft of a message that has arrived, unless the person has begun another one. */
function forgetWritten(userId: number, { text }: Written): void {
  last = { key: '', content: '' };
  if (readDraft(userId, 'new') !== text) return;
  keepDraft(userId, 'new', '');
  keepDraft(userId, 'new-subject', '');
}

/** Serializes a form for comparison. Files are compared by name, size, and date. */
function contentOf(form: FormData): string {
  const parts: unknown[] = [];
  for (const [name, value] of form) {
    parts.push(name, value instanceof File ? [value.name, value.size, value.lastModified] : value);
  }
  return JSON.stringify(parts);
}
