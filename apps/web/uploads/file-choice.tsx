'use client';

import { type ReactNode, useRef } from 'react';

interface Props {
  /** The name of the control for screen readers. */
  label: string;
  accept: string;
  disabled?: boolean;
  primary?: boolean;
  children: ReactNode;
  onChoose: (file: File) => void;
}

/** A button that opens the file dialog. The same file can be chosen again, for example after an error. */
export function FileChoice({ label, accept, disabled = false, primary = false, children, onChoose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        className="sr-only"
        aria-label={label}
        accept={accept}
        disabled={disabled}
        tabIndex={-1}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) onChoose(file);
        }}
      />
      <button
        type="button"
        className={`btn btn-sm ${primary ? 'btn-primary' : ''}`}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {children}
      </button>
    </>
  );
}
