'use client';

import { BACKUP_CODE_FIELD_MAX, PASSWORD_MAX } from '@case-platform/words/limits';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { Profile } from '../api/api-shapes.ts';
import type { IdentityProof } from '../api/confirm-identity.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { codeField } from '../session/code-field.ts';
import { PasswordInput } from './password-input.tsx';
import { sendChangeCode } from './two-factor-calls.ts';

export interface IdentityAsked {
  /** The problem of the previous answer; null at first. */
  problem: string | null;
  answer: (proof: IdentityProof | null) => void;
}

export function IdentityQuestion({ problem, answer }: IdentityAsked) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [kind, setKind] = useState<'password' | 'code'>('password');
  const [unsent, setUnsent] = useState<string | null>(null);
  const method = useTwoFactorMethod();
  useEffect(() => dialog.current?.showModal(), []);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entered = String(new FormData(event.currentTarget).get('proof') ?? '');
    answer(kind === 'password' ? { pass_hash: entered } : codeField(entered));
  };
  const change = () => {
    setUnsent(null);
    setKind(kind === 'password' ? 'code' : 'password');
    // Email and text message need a code to be sent first.
    if (kind === 'password' && (method === 'email' || method === 'sms'))
      void sendChangeCode(method).catch((error) => setUnsent(errorMessage(error)));
  };

  return (
    <dialog ref={dialog} className="confirm-dialog" aria-labelledby={`${id}-title`} onClose={() => answer(null)}>
      <form onSubmit={submit}>
        <h2 id={`${id}-title`} className="confirm-title">
          Confirm it’s you
        </h2>
        <div className="confirm-text">
          <p className="mb-4">This change protects your account, so we check that it’s you.</p>
          {problem !== null && <Notice kind="error" title={problem} className="mb-4" />}
          {unsent !== null && kind === 'code' && (
            <Notice kind="error" title="We couldn’t send you a code" className="mb-4">
              {unsent}
            </Notice>
          )}
          {kind === 'password' ? (
            <Field id={`${id}-proof`} label="Your password">
              <PasswordInput id={`${id}-proof`} name="proof" autoComplete="current-password" maxLength={PASSWORD_MAX} required />
            </Field>
          ) : (
            <Field
              id={`${id}-proof`}
              label={method === 'app' ? 'Six digits from your app, or a backup code' : 'Six digits we sent you'}
            >
              <input
                id={`${id}-proof`}
                name="proof"
                className="input mono"
                autoComplete="one-time-code"
                autoCapitalize="none"
                maxLength={BACKUP_CODE_FIELD_MAX}
                required
              />
            </Field>
          )}
          {method !== null && (
            <button type="button" className="btn btn-ghost btn-sm -ms-3" onClick={change}>
              {kind === 'password' ? 'Use a code instead' : 'Use your password instead'}
            </button>
          )}
        </div>
        <div className="confirm-actions">
          <button type="button" className="btn" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" className="btn btn-primary">
            Continue
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Reads the reader's two-factor method; null until it is loaded, and for people without two-factor. */
function useTwoFactorMethod(): string | null {
  const [method, setMethod] = useState<string | null>(null);
  useEffect(() => {
    apiBrowser<Profile>('/api/user/me').then(
      ({ two_factor_method }) => setMethod(two_factor_method),
      () => {},
    );
  }, []);
  return method;
}
