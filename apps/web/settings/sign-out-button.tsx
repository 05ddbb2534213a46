'use client';

import { counted } from '@case-platform/words/counts';
import { listInWords } from '@case-platform/words/sentence';
import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { resetAnalytics } from '../api/analytics.ts';
import { endSession } from '../api/api-browser.ts';
import { clearDrafts, countDrafts } from '../drafts/drafts.ts';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { Notice } from '../look/notice.tsx';
import { within } from '../look/within.ts';

/** Signing out waits at most this long for the API to remove this device. */
const FORGET_WITHIN_MS = 4000;
const REACH_WITHIN_MS = 10_000;

/**
 * Ends the session and removes the person's data from the device, because others may use it. The dialog names unsent work first
 * (PAGE-6), and it is deleted only once the session has ended. A session that expires keeps it.
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
      // Removing the device needs the session.
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
          keep="Cancel"
          busy={busy}
          onConfirm={leave}
          onClose={() => setLost(null)}
        >
          <p>
            This browser still has {lost}. Signing out deletes that, so the next person here can’t read it. Drafts you’ve saved
            stay in your account.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function draftWords(userId: number): string {
  const { messages, requests } = countDrafts(userId);
  return listInWords([
    ...(messages === 0 ? [] : [counted(messages, 'unsent message')]),
    ...(requests === 0 ? [] : [counted(requests, 'unfinished request')]),
  ]);
}

/** @throws {Error} if the server does not answer, so that the sign-out does not stop halfway. */
async function reachServer(): Promise<void> {
  const { ok } = await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(REACH_WITHIN_MS) });
  if (!ok) throw new Error('The server has not answered.');
}

/** Turns off this person's notifications for the next person on the device. The code is loaded here, as few visits need it. */
async function forgetDevice(): Promise<void> {
  try {
    const [{ turnPushOff }, { closeNotifications }] = await Promise.all([
      import('../push/push-device.ts'),
      import('../push/service-worker.ts'),
    ]);
    const removal = Promise.all([turnPushOff(AbortSignal.timeout(FORGET_WITHIN_MS)), closeNotifications()]);
    // Another window may have the lock, and the browser itself may take long.
    await within(FORGET_WITHIN_MS, removal, 'We couldn’t tell whether this browser’s notifications are off.');
  } catch {
    // The push service will report that the subscription is gone, and the API then removes it (PUSH-6).
  }
}
