import 'client-only';
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { errorMessage } from '../../api/api-error.ts';
import type { Person, StartedChain } from '../../api/api-shapes.ts';
import { keys } from '../queries.ts';
import { keepDraft, readAttempt, readDraft } from './drafts.ts';
import { messageForm } from './message-form.ts';
import { sendForm } from './send-form.ts';
import { noteSent } from './sent-message.ts';

/** What somebody has written to start a conversation with. */
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
  /** What is being sent, or could not be sent while nobody looked; null otherwise. */
  written: Written | null;
  /** The conversation that has begun, for the form that is still shown. */
  sentTo: number | null;
}

const IDLE: Sending = { busy: false, progress: 0, problem: null, written: null, sentTo: null };

let state = IDLE;
let controller: AbortController | null = null;
const listeners = new Set<() => void>();

/** How the message that starts a conversation stands. It goes on when its form is left, and is found there again. */
export function useFirstMessage(): Sending {
  return useSyncExternalStore(
    subscribe,
    () => state,
    () => IDLE,
  );
}

/** Starts a conversation. Attempts share an idempotency key as long as the form is unchanged, over a reload too. */
export async function startChain(userId: number, written: Written, client: QueryClient): Promise<void> {
  if (state.busy) return;
  const { caseId, text, subject, files } = written;
  // The API compares attempts by their order too.
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
    // Whoever has gone to another page is left there.
    set(listeners.size === 0 ? IDLE : { ...state, sentTo: chain.id });
  } catch (error) {
    const cancelled = error instanceof DOMException && error.name === 'AbortError';
    const problem = cancelled
      ? { title: 'You cancelled this message', text: 'It is saved as a draft.' }
      : { title: 'We couldn’t send this message', text: `It is saved as a draft. ${errorMessage(error)}` };
    set({ ...state, busy: false, problem });
  }
}

/** Says why a message is not sent at all. */
export function refuseNew(problem: Problem): void {
  set({ ...state, problem });
}

/** Gives up what is being sent. */
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
    // What its writer has seen is over when they leave.
    if (listeners.size === 0 && (!state.busy || state.sentTo !== null)) state = IDLE;
  };
}

/** The last attempt, where storage is switched off. */
let last = { key: '', content: '' };

function attemptKey(userId: number, content: string): string {
  const known = readDraft(userId, 'new') === '' ? last : readAttempt(userId);
  last = known?.content === content ? known : { key: crypto.randomUUID(), content };
  keepDraft(userId, 'new-attempt', JSON.stringify(last));
  return last.key;
}

/** Forgets the draft of what has arrived, unless something else was begun meanwhile. */
function forgetWritten(userId: number, { text }: Written): void {
  last = { key: '', content: '' };
  if (readDraft(userId, 'new') !== text) return;
  keepDraft(userId, 'new', '');
  keepDraft(userId, 'new-subject', '');
}

/** A form's content for comparison; files are compared by name, size and date. */
function contentOf(form: FormData): string {
  const parts: unknown[] = [];
  for (const [name, value] of form) {
    parts.push(name, value instanceof File ? [value.name, value.size, value.lastModified] : value);
  }
  return JSON.stringify(parts);
}
