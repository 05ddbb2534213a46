'use client';

import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { CopyButton } from '../look/copy-button.tsx';

/** The ten backup codes, which are shown only once (TWO-FACTOR-8). */
export function BackupCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const text = `${codes.join('\n')}\n`;
  return (
    <section aria-labelledby="backup-codes">
      <h3 id="backup-codes" ref={title} tabIndex={-1} className="text-title font-semibold outline-none">
        Two-factor sign-in is on. Keep your backup codes
      </h3>
      <p className="quiet mt-1 text-small">
        If you lose your phone, each of these signs you in once. We show them only now: print them, or keep them with your
        passwords.
      </p>
      <ol className="mono my-4 grid max-w-xs grid-cols-2 gap-x-6 gap-y-1 select-all" aria-label="Backup codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-3">
        <CopyButton text={text} words="Copy" />
        <button type="button" className="btn btn-sm" onClick={() => download(text)}>
          <Download size={16} aria-hidden="true" />
          Download
        </button>
      </div>
      <button type="button" className="btn btn-primary mt-6" onClick={onSaved}>
        I’ve saved them
      </button>
    </section>
  );
}

function download(codes: string): void {
  const words = `Backup codes for ${location.host}. Each signs you in once.\n\n${codes}`;
  const url = URL.createObjectURL(new Blob([words], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'backup-codes.txt';
  link.click();
  URL.revokeObjectURL(url);
}
