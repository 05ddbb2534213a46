'use client';

import type { TotpSetup } from '../api/api-shapes.ts';
import { CopyButton } from '../look/copy-button.tsx';
import { QrCode } from './qr-code.tsx';
import { TwoFactorCode } from './two-factor-code.tsx';

interface Props {
  setup: TotpSetup;
  onCode: (code: string) => Promise<void>;
  onCancel: () => void;
}

export function TwoFactorApp({ setup, onCode, onCancel }: Props) {
  const grouped = setup.secret.match(/.{1,4}/g)?.join(' ') ?? setup.secret;
  return (
    <div className="grid gap-6">
      <section aria-labelledby="scan">
        <h3 id="scan" className="font-medium">
          1. Scan this with your authenticator app
        </h3>
        <p className="quiet mt-1 mb-4 text-small">Any app for one-time codes will do. It adds this account to the app.</p>
        <QrCode text={setup.otpauth_url} label="QR code for your authenticator app" />
        <p className="quiet mt-4 text-small">On this phone already, or no camera? Enter this key in the app by hand:</p>
        <div className="mt-1 flex flex-wrap items-center gap-3">
          <code className="mono wrap-anywhere select-all">{grouped}</code>
          <CopyButton text={setup.secret} words="Copy key" />
        </div>
      </section>
      <TwoFactorCode
        title="2. Enter the six digits the app shows"
        text="They change every 30 seconds."
        action="Turn on"
        busyAction="Turning on…"
        onCode={onCode}
        onCancel={onCancel}
      />
    </div>
  );
}
