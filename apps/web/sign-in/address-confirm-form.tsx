'use client';

import { CircleCheck, LinkIcon } from 'lucide-react';
import { useState } from 'react';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { forgetToken, useMailedToken } from './use-mailed-token.ts';

type State = 'asking' | 'sending' | 'done' | 'ended';

/** Confirms a new email address (ADDRESS-1). Only the button uses up the link. */
export function AddressConfirmForm() {
  const token = useMailedToken();
  const [state, setState] = useState<State>('asking');
  const [problem, setProblem] = useState<string | null>(null);

  const confirm = async () => {
    setState('sending');
    setProblem(null);
    try {
      await apiBrowser('/api/user/auth/address/confirm', { method: 'POST', body: { token } });
      forgetToken();
      setState('done');
    } catch (error) {
      const isEnded = fieldProblems(error).token !== undefined;
      setState(isEnded ? 'ended' : 'asking');
      if (!isEnded) setProblem(accountProblem(error));
    }
  };

  if (state === 'done') return <Confirmed />;
  if (state === 'ended' || token === '') return <DeadLink />;
  return (
    <section aria-labelledby="address-title">
      <h1 id="address-title" className="page-title mb-2">
        Confirm your email address
      </h1>
      <p className="quiet mb-6">After that, you sign in with it and we email you there.</p>
      {problem !== null && <Notice kind="error" title={problem} className="mb-6" />}
      <button
        type="button"
        className="btn btn-primary w-full"
        disabled={token === null || state === 'sending'}
        data-busy={state === 'sending'}
        onClick={confirm}
      >
        {state === 'sending' ? 'Confirming…' : 'Confirm this address'}
      </button>
    </section>
  );
}

function Confirmed() {
  return (
    <section role="status">
      <CircleCheck className="mb-4 text-primary" size={36} strokeWidth={1.5} aria-hidden="true" />
      <h1 className="page-title mb-2">Your email address is changed</h1>
      <p className="mb-6">Sign in with the new address from now on. Your password is still the same.</p>
      <Link className="btn btn-primary" href="/login">
        Sign in
      </Link>
    </section>
  );
}

function DeadLink() {
  return (
    <section role="alert">
      <LinkIcon className="mb-4 text-primary" size={36} strokeWidth={1.5} aria-hidden="true" />
      <h1 className="page-title mb-2">This link no longer works</h1>
      <p className="mb-6">Each link works once, within three days. Sign in with your old address, or ask for a new link.</p>
      <Link className="btn btn-primary" href="/login">
        Sign in
      </Link>
    </section>
  );
}
