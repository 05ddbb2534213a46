'use client';

import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { resetAnalytics } from '../api/analytics.ts';
import { endSession } from '../api/api-browser.ts';
import { within } from '../look/within.ts';
import { clearDrafts } from '../messages/compose/drafts.ts';

/** How long the API may take to forget this device; signing out does not wait for more. */
const FORGET_WITHIN_MS = 4000;

/** Ends the session, and leaves nothing of this person behind on the device. */
export function SignOutButton() {
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    clearDrafts();
    await forgetDevice();
    resetAnalytics();
    try {
      await endSession('/login');
    } catch {
      setBusy(false);
    }
  };
  return (
    <button type="button" className="btn" onClick={leave} disabled={busy}>
      <LogOut size={18} aria-hidden="true" />
      {busy ? 'Signing out…' : 'Sign out'}
    </button>
  );
}

/** The next person here must not see what comes for this one. Fetched only now: most visits never need it. */
async function forgetDevice(): Promise<void> {
  try {
    const [{ turnPushOff }, { closeNotifications }] = await Promise.all([
      import('../push/push-device.ts'),
      import('../push/service-worker.ts'),
    ]);
    const forgetting = Promise.all([turnPushOff(AbortSignal.timeout(FORGET_WITHIN_MS)), closeNotifications()]);
    // Another window may be at it for longer, or the browser itself.
    await within(FORGET_WITHIN_MS, forgetting, 'We couldn’t tell whether this browser’s notifications are off.');
  } catch {
    // The push service then says that this browser is gone, and the API forgets it.
  }
}
