'use client';

import { BACKUP_CODE_FIELD_MAX } from '@case-platform/words/limits';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { CODE_DIGITS, CodeBoxes } from './code-boxes.tsx';

/** Ten letters and digits, with or without a dash or a space in the middle. */
const BACKUP_CODE = /^[a-z0-9]{5}[\s-]?[a-z0-9]{5}$/i;

interface Props {
  /** Tries a code. Resolves with 'again' if the person can enter another one. */
  onCode: (code: string) => Promise<'done' | 'again'>;
  /** True if a backup code can be entered instead. */
  backup: boolean;
  invalid: boolean;
  action: string;
  busyAction: string;
  /** Shown between the field and the button. */
  children?: ReactNode;
  wide?: boolean;
}

/** Takes a code in six boxes that submit themselves when they are full, or a backup code. */
export function CodeEntry({ onCode, backup, invalid, action, busyAction, children, wide = false }: Props) {
  const id = useId();
  const [kind, setKind] = useState<'digits' | 'backup'>('digits');
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState(0);
  const sending = useRef(false);
  const complete = kind === 'digits' ? code.length === CODE_DIGITS : BACKUP_CODE.test(code.trim());

  const send = async (entered: string) => {
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    const outcome = await onCode(entered.trim());
    if (outcome === 'done') return;
    sending.current = false;
    setBusy(false);
    if (kind === 'digits') setCode('');
    setRefused((times) => times + 1);
  };
  // The boxes can take the focus only after the render that enables them again.
  useEffect(() => {
    if (refused > 0 && !busy) document.getElementById(id)?.focus();
  }, [refused, busy, id]);

  const change = () => {
    setKind(kind === 'digits' ? 'backup' : 'digits');
    setCode('');
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) void send(code);
      }}
    >
      <label className="field-label mb-2 block" htmlFor={id}>
        {kind === 'digits' ? 'Six-digit code' : 'Backup code'}
      </label>
      {kind === 'digits' ? (
        <CodeBoxes
          id={id}
          value={code}
          onValue={setCode}
          onComplete={(digits) => void send(digits)}
          disabled={busy}
          invalid={invalid}
          describedBy={`${id}-hint`}
        />
      ) : (
        <input
          id={id}
          className="input mono"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          disabled={busy}
          maxLength={BACKUP_CODE_FIELD_MAX}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={invalid}
          aria-describedby={`${id}-hint`}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
          autoFocus
        />
      )}
      <p id={`${id}-hint`} className="field-hint mt-2">
        {kind === 'digits'
          ? 'We check it as soon as you’ve entered all six digits.'
          : 'Like k3m9p-x7w2q. Each of your ten works once.'}
      </p>
      {children}
      <div className="mt-5 flex flex-wrap items-center gap-x-3 gap-y-2">
        <button type="submit" className={`btn btn-primary ${wide ? 'w-full' : ''}`} disabled={busy || !complete}>
          {busy ? busyAction : action}
        </button>
        {backup && (
          <button type="button" className={`btn btn-ghost btn-sm ${wide ? '-ms-3' : ''}`} onClick={change} disabled={busy}>
            {kind === 'digits' ? 'Use a backup code' : 'Use the code from your app'}
          </button>
        )}
      </div>
    </form>
  );
}
