'use client';

import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { resetAnalytics } from '../lib/analytics.ts';
import { endSession } from '../lib/api-browser.ts';
import { clearDrafts } from '../lib/drafts.ts';

/** Ends the session, and leaves nothing of this person behind on the device. */
export function SignOutButton() {
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    clearDrafts();
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
