'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

/** Copies a text. If the browser does not allow it, the person can still select the text beside the button. */
export function CopyButton({ text, words }: { text: string; words: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  const Icon = state === 'copied' ? Check : Copy;
  return (
    <button type="button" className="btn btn-sm" onClick={copy}>
      <Icon size={16} aria-hidden="true" />
      <span aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'refused' ? 'Select and copy it yourself' : words}
      </span>
    </button>
  );
}
