'use client';

import { counted } from '@case-platform/words/counts';
import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { resetAnalytics } from '../api/analytics.ts';
import { endSession } from '../api/api-browser.ts';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { Notice } from '../look/notice.tsx';
import { within } from '../look/within.ts';
import { clearDrafts, countDrafts } from '../messages/compose/drafts.ts';

/** How long the API may take to forget this device; signing out does not wait for more. */
const FORGET_WITHIN_MS = 4000;
const REACH_WITHIN_MS = 10_000;

/**
 * Ends the session, and leaves nothing of this person behind on the device: others may use it. What would be lost with it is named
 * first, and deleted only when the session has ended. A session that ends by itself keeps it.
 */
export function SignOutButton({ userId }: { userId: number }) {
  const [busy, setBusy] = useState(false);
  const [lost, setLost] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const leave = async () => {
    setBusy(true);
    setFailed(false);
    try {
      await reachServer();
      // It takes the session to do so.
      await forgetDevice();
      await endSession('/login');
    } catch {
      setBusy(false);
      setLost(null);
      setFailed(true);
      return;
    }
    clearDrafts();
    resetAnalytics();
    location.assign('/login');
  };
  const ask = () => {
    const words = draftWords(userId);
    if (words === '') void leave();
    else setLost(words);
  };
  return (
    <>
      {failed && (
        <Notice kind="error" title="You’re still signed in" className="mb-4">
          We couldn’t sign you out. Check your connection and try again.
        </Notice>
      )}
      <button type="button" className="btn" onClick={ask} disabled={busy} data-busy={busy}>
        <LogOut size={18} aria-hidden="true" />
        {busy ? 'Signing out…' : 'Sign out'}
      </button>
      {lost !== null && (
        <ConfirmDialog
          title="Sign out and delete what isn’t sent?"
          action="Sign out and delete"
          doing="Signing out…"
          keep="Stay signed in"
          busy={busy}
          onConfirm={leave}
          onClose={() => setLost(null)}
        >
          <p>
            This browser still has {lost}. Signing out deletes that, so the next person here can’t read it. Drafts
            you’ve saved stay in your account.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function draftWords(userId: number): string {
  const { messages, requests } = countDrafts(userId);
  return [
    ...(messages === 0 ? [] : [counted(messages, 'unsent message')]),
    ...(requests === 0 ? [] : [counted(requests, 'unfinished request')]),
  ].join(' and ');
}

/** @throws when nobody answers: then nothing of what follows would work, and half of it must not be done. */
async function reachServer(): Promise<void> {
  const { ok } = await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(REACH_WITHIN_MS) });
  if (!ok) throw new Error('The server has not answered.');
}

/** The next person on this device must not see this one's notifications. Loaded only now: most visits never need it. */
async function forgetDevice(): Promise<void> {
  try {
    const [{ turnPushOff }, { closeNotifications }] = await Promise.all([
      import('../push/push-device.ts'),
      import('../push/service-worker.ts'),
    ]);
    const forgetting = Promise.all([turnPushOff(AbortSignal.timeout(FORGET_WITHIN_MS)), closeNotifications()]);
    // Another window, or the browser itself, may take longer.
    await within(FORGET_WITHIN_MS, forgetting, 'We couldn’t tell whether this browser’s notifications are off.');
  } catch {
    // The push service then says that this browser is gone, and the API forgets it.
  }
}
