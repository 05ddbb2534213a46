'use client';

import { exactTimeWords } from '@case-platform/words/times';
import { Landmark } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { BankAccount } from '../api/api-shapes.ts';
import { useClock } from '../look/clock.tsx';
import { Notice } from '../look/notice.tsx';

/** Loaded on demand, because few visits set an account. */
const BankAccountForm = dynamic(() => import('./bank-account-form.tsx').then((module) => module.BankAccountForm));

const KINDS = { checking: 'Checking account', savings: 'Savings account' };

/** The page's clock moves in steps, so an account that becomes usable within this time is shown as in use. */
const CLOCK_STEP_MS = 60_000;

/** Shows the account that a person is paid to, as far as it is ever shown (BANK-5), and lets them set another one. */
export function BankAccountPanel({ initial, holder }: { initial: BankAccount | null; holder: string }) {
  const router = useRouter();
  const [account, setAccount] = useState(initial);
  const [editing, setEditing] = useState(false);
  const [saved, setSaved] = useState(false);
  const { now } = useClock();
  const inUse = account !== null && Date.parse(account.usable_from) - now < CLOCK_STEP_MS;
  const replace = (next: BankAccount) => {
    setAccount(next);
    setEditing(false);
    setSaved(true);
    router.refresh();
  };
  return (
    <section id="bank-account" className="panel mb-4 scroll-mt-20 p-5" aria-labelledby="bank-account-title">
      <div className="flex items-center justify-between gap-3">
        <h2 id="bank-account-title" className="font-semibold">
          Bank account
        </h2>
        {account !== null && (
          <span className={`state-pill ${inUse ? 'is-active' : 'is-waiting'}`}>{inUse ? 'In use' : 'Not in use yet'}</span>
        )}
      </div>
      {saved && <Notice kind="done" title="Your bank account is saved." className="mt-3" />}
      {account === null ? (
        <p className="quiet mb-3 text-small">
          Payments to you go here. We keep the number encrypted and only ever show its last four digits.
        </p>
      ) : (
        <ShownAccount account={account} inUse={inUse} />
      )}
      {editing ? (
        <BankAccountForm holder={holder} isChange={account !== null} onSaved={replace} onClose={() => setEditing(false)} />
      ) : (
        <button
          type="button"
          className="btn btn-sm"
          onClick={() => {
            setSaved(false);
            setEditing(true);
          }}
        >
          {account === null ? 'Add a bank account' : 'Change the account'}
        </button>
      )}
    </section>
  );
}

function ShownAccount({ account, inUse }: { account: BankAccount; inUse: boolean }) {
  const clock = useClock();
  return (
    <>
      <div className="my-3 flex items-start gap-3">
        <span className="attachment-mark flex-none" aria-hidden="true">
          <Landmark />
        </span>
        <div className="min-w-0 flex-1">
          <p>
            {KINDS[account.account_kind]} ending in <span className="mono">{account.last_four}</span>
          </p>
          <p className="quiet text-small wrap-anywhere">
            {account.holder_name} · routing number <span className="mono">{account.routing_number}</span>
          </p>
        </div>
      </div>
      {!inUse && (
        <Notice kind="waiting" title="We can’t pay this account yet" className="mb-3">
          We wait before paying a new account, so you can tell us if it wasn’t you. Payments go here from{' '}
          <time dateTime={account.usable_from} suppressHydrationWarning>
            {exactTimeWords(account.usable_from, clock)}
          </time>
          .
        </Notice>
      )}
    </>
  );
}
