'use client';

import { LogOut } from 'lucide-react';
import { signOut } from 'next-auth/react';
import { useState } from 'react';
import { resetAnalytics } from '../lib/analytics.ts';
import { clearDrafts } from '../lib/drafts.ts';

/** Ends the session, and leaves nothing of this person behind on the device. */
export function SignOutButton() {
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    clearDrafts();
    resetAnalytics();
    try {
      await signOut({ callbackUrl: '/login' });
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
