'use client';

import { Mail, MessageSquareText, ShieldCheck, Smartphone } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { accountProblem } from '../api/account-words.ts';
import type { TotpSetup, TwoFactorMethod } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { beginAppSetup, confirmTwoFactor, disableTwoFactor, sendChangeCode } from '../sign-in/two-factor-calls.ts';

/** Loaded on demand, because few visits change two-factor, and drawing QR codes needs a library. */
const BackupCodes = dynamic(() => import('./backup-codes.tsx').then((module) => module.BackupCodes));
const TwoFactorCode = dynamic(() => import('./two-factor-code.tsx').then((module) => module.TwoFactorCode));
const TwoFactorApp = dynamic(() => import('./two-factor-app.tsx').then((module) => module.TwoFactorApp));

interface Props {
  method: TwoFactorMethod | null;
  email: string;
  phone: string | null;
}

type Step =
  | { kind: 'rest'; message?: string }
  | { kind: 'app'; setup: TotpSetup }
  | { kind: 'sent'; method: 'email' | 'sms' }
  | { kind: 'backup'; codes: string[] }
  | { kind: 'off' };

const ON_WORDS: Record<TwoFactorMethod, string> = {
  app: 'You sign in with your password and the six digits of your authenticator app, or one of your backup codes.',
  email: 'You sign in with your password and six digits we send to your email address.',
  sms: 'You sign in with your password and six digits we send to your phone.',
};

export function TwoFactorPanel({ method: initial, email, phone }: Props) {
  const router = useRouter();
  const [method, setMethod] = useState(initial);
  const [step, setStep] = useState<Step>({ kind: 'rest' });
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState<TwoFactorMethod | null>(null);

  const rest = (message?: string) => {
    setStep(message === undefined ? { kind: 'rest' } : { kind: 'rest', message });
    // Other parts of the page also depend on it.
    if (message !== undefined) router.refresh();
  };

  const begin = async (chosen: TwoFactorMethod, next: (setup: TotpSetup | null) => Step) => {
    setBusy(chosen);
    setProblem(null);
    try {
      const setup = chosen === 'app' && method === null ? await beginAppSetup() : null;
      if (chosen !== 'app') await sendChangeCode(chosen);
      setStep(next(setup));
    } catch (error) {
      setProblem(accountProblem(error));
    }
    setBusy(null);
  };

  const chooseMethod = (chosen: TwoFactorMethod) =>
    begin(chosen, (setup) =>
      setup !== null ? { kind: 'app', setup } : { kind: 'sent', method: chosen === 'sms' ? 'sms' : 'email' },
    );

  const turnOn = async (code: string) => {
    const on = await confirmTwoFactor(code);
    setMethod(on.method);
    if (on.backup_codes === null) {
      rest('Two-factor sign-in is on, but your backup codes got lost on the way. To get new ones, turn it off and on again.');
    } else if (on.backup_codes.length > 0) setStep({ kind: 'backup', codes: on.backup_codes });
    else rest('Two-factor sign-in is on.');
  };

  const turnOff = async (code: string) => {
    await disableTwoFactor(code);
    setMethod(null);
    rest('Two-factor sign-in is off.');
  };

  return (
    <section className="panel p-5" aria-labelledby="two-factor">
      <div className="flex items-center justify-between gap-3">
        <h2 id="two-factor" className="font-medium">
          Two-factor sign-in
        </h2>
        <span className={`state-pill ${method === null ? '' : 'is-active'}`}>
          {method !== null && <ShieldCheck aria-hidden="true" />}
          {method === null ? 'Off' : 'On'}
        </span>
      </div>
      {step.kind === 'rest' && (
        <>
          {step.message !== undefined && <Notice kind="done" title={step.message} className="mt-3" />}
          {problem !== null && <Notice kind="error" title={problem} className="mt-3" />}
          <p className="quiet mt-1 mb-4 text-small">
            {method === null ? 'A code on top of your password, so a stolen password isn’t enough to get in.' : ON_WORDS[method]}
          </p>
          {method === null ? (
            <Methods email={email} phone={phone} busy={busy} onChoose={chooseMethod} />
          ) : (
            <TurnOffButton busy={busy !== null} onClick={() => begin(method, () => ({ kind: 'off' }))} />
          )}
        </>
      )}
      {step.kind !== 'rest' && (
        <div className="mt-4">
          {step.kind === 'app' && <TwoFactorApp setup={step.setup} onCode={turnOn} onCancel={() => rest()} />}
          {step.kind === 'sent' && (
            <TwoFactorCode
              title="Enter the six digits"
              text={sentWords(step.method, email, phone)}
              action="Turn on"
              busyAction="Turning on…"
              onCode={turnOn}
              onCancel={() => rest()}
              onResend={() => sendChangeCode(step.method)}
            />
          )}
          {step.kind === 'backup' && <BackupCodes codes={step.codes} onSaved={() => rest('Two-factor sign-in is on.')} />}
          {step.kind === 'off' && method !== null && (
            <TwoFactorCode
              title="Enter a code to turn it off"
              text={method === 'app' ? 'The six digits your authenticator app shows.' : sentWords(method, email, phone)}
              action="Turn off"
              busyAction="Turning off…"
              onCode={turnOff}
              onCancel={() => rest()}
              backup={method === 'app'}
              {...(method === 'app' ? {} : { onResend: () => sendChangeCode(method) })}
            />
          )}
        </div>
      )}
    </section>
  );
}

function TurnOffButton({ busy, onClick }: { busy: boolean; onClick: () => void }) {
  return (
    <button type="button" className="btn" disabled={busy} data-busy={busy} onClick={onClick}>
      {busy ? 'One moment…' : 'Turn off'}
    </button>
  );
}

interface MethodsProps extends Pick<Props, 'email' | 'phone'> {
  busy: TwoFactorMethod | null;
  onChoose: (method: TwoFactorMethod) => void;
}

function Methods({ email, phone, busy, onChoose }: MethodsProps) {
  const methods = [
    { method: 'app', Icon: Smartphone, name: 'Authenticator app', note: 'Safest, and works without a network.' },
    { method: 'email', Icon: Mail, name: 'Email', note: `Codes go to ${email}.` },
    {
      method: 'sms',
      Icon: MessageSquareText,
      name: 'Text message',
      note: phone === null ? 'Needs your phone number.' : `Codes go to ${phone}.`,
    },
  ] as const;
  return (
    <ul className="-mx-5 -mb-5 border-t border-hairline">
      {methods.map(({ method, Icon, name, note }) => (
        <li key={method} className="flex items-center gap-4 border-hairline px-5 py-3 not-last:border-b">
          <Icon className="shrink-0 text-primary" size={20} strokeWidth={1.75} aria-hidden="true" />
          <div className="min-w-0 flex-1">
            <p id={`method-${method}`}>{name}</p>
            <p className="quiet text-small wrap-anywhere">{note}</p>
          </div>
          {method === 'sms' && phone === null ? (
            <Link className="btn btn-sm" href="/profile">
              Add number
            </Link>
          ) : (
            <button
              type="button"
              className={`btn btn-sm ${method === 'app' ? 'btn-primary' : ''}`}
              aria-describedby={`method-${method}`}
              disabled={busy !== null}
              data-busy={busy === method}
              onClick={() => onChoose(method)}
            >
              {busy === method ? 'One moment…' : 'Turn on'}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function sentWords(method: 'email' | 'sms', email: string, phone: string | null): string {
  return `We sent them to ${method === 'email' ? email : (phone ?? 'your phone')}. They work for ten minutes.`;
}
